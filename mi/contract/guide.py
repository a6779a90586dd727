"""The contract in words: what the server tells a client, and the text that stands in AGENTS.md or CLAUDE.md."""

MEMORY_INSTRUCTIONS = """\
Memory and task contract. Observation is free. Sequencing is authority. Mutation is explicit.
- R1 Before any mutation: memory_query or memory_recent, and say what you found, even if nothing.
- Then declare a mode with memory_set_mode: PASSIVE (look only), GUARDED (reversible changes), STRICT.
- R5 memory_write is the only way to durable memory; facts need evidence, decisions and constraints a rationale. \
Never claim a write that did not succeed.
- A refusal names its code, what is missing and the next legal call: make that call.
- R6 Uncertain about recall, mode, tasks or enforcement: observe only, or stop and ask. Never guess.
- A required tool fails: say so, retry up to 2 times, then stop and ask a person.
- After a mutation end your answer with: recall completed (R1); mode declared (R4); task authority resolved (R2, R3); \
memory writes completed or not required (R5). Do not restate the contract."""

TASKS_INSTRUCTIONS = """\
Tasks: the project has one task list; task_list shows it, wherever it is kept.
- R2 More than one step (a plan, checklist, first/then/next): put all steps there with task_add before any mutation; \
do not plan in your answer. You may ask for verification, but do not wait for an answer that may not come.
- R3 Work on the task that task_list names as pointer; never skip, reorder, redefine or invent progress. \
None unchecked: stop and ask."""

BLOCK = "contract"
TEXT = """\
## Agent contract (memory and tasks)

This governs all repository-related behaviour: anything that touches code, files, documentation, configuration,
architecture, tasks, planning or repository state. Non-compliance invalidates the response.

**Observation is free. Sequencing is authority. Mutation is explicit.** A mutation is any durable change: writing files,
creating, updating or completing tasks, writing memory, promoting a claim to a fact, decision or constraint.

- **R1 Recall before mutation.** Call `memory_query` or `memory_recent` (available in every mode) and acknowledge the
  result, even if it is empty.
- **R2 Externalise tasks.** The moment you identify more than one actionable step (plan, approach, checklist, ordered
  bullets, first/then/next, step by step), put all steps into the task list with `task_add`, or into `tinyTasks.md` with
  file tools if MCP is unavailable; no mutation before that, and no planning in the response body. You may ask the user
  to verify the list: if they want to, wait for the review; if they decline or do not respond, proceed at once.
- **R3 Tasks are authoritative.** The project has one list; continue its first unchecked subtask (`task_list`). Do not
  skip, reorder or redefine tasks or invent progress. No unchecked subtask: stop and request user input.
- **R4 Order.** Before any mutation: recall, then the mode declared with `memory_set_mode` (PASSIVE looks only, GUARDED
  makes bounded reversible changes, STRICT enforces everything), then tasks externalised, then task authority confirmed.
- **R5 Durable memory is tool-only.** `memory_write` alone; facts need evidence, decisions and constraints a rationale.
  Never claim a memory write unless the tool succeeded.
- **R6 Fail closed.** If recall, intent, task authority or enforcement is uncertain: observe only, or stop and request
  user input. Never guess. Where nothing enforces this contract, enforce it yourself.

Task file:

```
# Tasks — <Goal>

- [ ] Top-level task
  - [ ] Atomic subtask
    - details
```

Two levels only; order matters; unchecked means authorised.

If a required tool fails: state the failure, retry up to 2 times, then stop and request human intervention.

End of a response in which you mutated something, confirm: recall completed in GUARDED/STRICT (R1); mode declared (R4);
task authority resolved (R2, R3); memory writes completed or not required (R5). Do not restate this contract.
"""
CHECKLIST = (
    "recall completed in GUARDED/STRICT modes (R1)",
    "mode declared (R4)",
    "task authority resolved (R2, R3)",
    "memory writes completed or not required (R5)",
)
