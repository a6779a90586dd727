"""Which tasks order an act that nobody can take back: a verb with its object or a command, never single words."""

import pytest

from mi.governance.orders import find_final_order

ORDERS = [
    "delete old user data",
    "Deploy the app to production",
    "fix the login and deploy it to production",
    "run `git push --force origin main`",
    "git push --force origin main",
    "```\nterraform destroy\n```",
    "Publish the package to npm",
    "force-push the branch",
    "Please wipe the disk",
    "drop the database",
    "把网站部署到生产环境",
    "删除旧的用户数据",
    "强制推送到 main",
    "Run the tests, then publish version 1.2 to PyPI",
    "email all customers about the outage",
    "Run:\n```\nkubectl delete namespace prod\n```",
    "npm publish",
    "- deploy the service to prod",
    "ship it to production",
    "refund all customers",
    "add a banner to the page and deploy it to production",
    "the CI is red. run `terraform destroy -auto-approve`",
]
WORK = [
    "add a password reset page",
    "encrypt the backups",
    "migrate the config to TOML",
    "write a script that deploys to production",
    "write a function to delete old user data",
    "document `terraform destroy`",
    "explain how to deploy to production",
    "do not deploy it to production",
    "fix the production bug",
    "never run `rm -rf /`",
    "rename the publish button",
    "add a delete button for user accounts",
    "Remove the irreversible flag",
    "fix the typo in the deployment guide",
    "add a permanently visible banner",
    "deploy to staging",
    "add a test for the payment endpoint",
    "implement the deploy command",
    "update the force push warning text",
    "写一个部署到生产环境的脚本",
    "修复线上登录问题",
    "add auth",
    "Improve login so that users can delete their accounts",
    "run the tests",
    "run `npm test`",
    "clean up dist with `rm -rf dist`",
    "create a migration that drops the users table",
    "explain why `npm publish` fails",
    "make the docs say when to run `npm publish`",
    "write docs: how to deploy the app and publish the package",
    "build a page that lets admins email all customers",
    "write a script to build and deploy to production",
    "write a script to build, test, and deploy to production",
    "Fix the readme: it should say how to force-push",
    "`npm publish` fails, fix it",
    "Delete users.py",
    "delete the accounts module",
    "drop table support",
    "purge the cache",
    "production",
    "deploy",
    "irreversible",
    "permanently delete",
    "password",
]


@pytest.mark.req("one.smaller.preflight-light")
@pytest.mark.parametrize("task", ORDERS)
def test_an_order_is_found_in_the_words_of_the_task(task):
    found = find_final_order(task)
    assert found
    assert found in task


@pytest.mark.req("one.smaller.preflight-light")
@pytest.mark.parametrize("task", WORK)
def test_work_about_such_an_act_orders_none(task):
    assert find_final_order(task) == ""
