// Report what vitest ran: versions 3 and newer tell it by onTestRunEnd, older ones by onFinished.
"use strict";
const { ReportWriter, isAsked } = require("./lines.cjs");

const OUTCOMES = { pass: "passed", passed: "passed", fail: "failed", failed: "failed" };

class MiReporter {
  constructor() {
    this.writer = isAsked() ? new ReportWriter("vitest") : null;
  }

  onTestRunEnd(modules, errors) {
    if (!this.writer) return;
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        this.writer.add(module.moduleId, titles(test), OUTCOMES[test.result().state] || "skipped");
      }
      const suites = [...module.children.allSuites()];
      const broken = [module, ...suites].filter((group) => group.errors().length);
      if (broken.length) this.writer.add(module.moduleId, broken[0] === module ? [] : titles(broken[0]), "failed");
    }
    this.close(errors);
  }

  onFinished(files = [], errors = []) {
    if (!this.writer) return;
    for (const file of files) {
      this.walk(file.filepath, [], file.tasks || []);
      if (file.result && file.result.state === "fail" && (file.result.errors || []).length) {
        this.writer.add(file.filepath, [], "failed");
      }
    }
    this.close(errors);
  }

  walk(file, above, tasks) {
    for (const task of tasks) {
      if (task.tasks) this.walk(file, [...above, task.name], task.tasks);
      else this.writer.add(file, [...above, task.name], OUTCOMES[(task.result || {}).state] || "skipped");
    }
  }

  close(errors) {
    if (errors && errors.length) this.writer.add("", ["unhandled errors"], "failed");
    this.writer.end();
    this.writer = null;
  }
}

function titles(test) {
  const found = [];
  for (let one = test; one && one.type !== "module"; one = one.parent) found.unshift(one.name);
  return found;
}

module.exports = MiReporter;
module.exports.default = MiReporter;
