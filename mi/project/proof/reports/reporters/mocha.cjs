// Report what mocha ran, and print what its own reporter would print.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { ReportWriter, isAsked } = require("./lines.cjs");

// The mocha that runs, wherever it is installed; with options for Node it runs in a process of its own.
const script = fs.realpathSync(process.argv[1]);
const folder = `${path.sep}mocha${path.sep}`;
const Spec = require(path.join(script.slice(0, script.lastIndexOf(folder) + folder.length), "lib", "reporters", "spec.js"));

module.exports = class MiReporter extends Spec {
  constructor(runner, options) {
    super(runner, options);
    if (!isAsked()) return;
    const writer = new ReportWriter("mocha");
    runner.on("pass", (test) => writer.add(fileOf(test), test.titlePath(), "passed"));
    runner.on("pending", (test) => writer.add(fileOf(test), test.titlePath(), "skipped"));
    runner.on("fail", (test) => writer.add(fileOf(test), titlesOf(test), "failed"));
    runner.on("end", () => writer.end({ failed: runner.failures, exit: runner.failures ? 1 : 0 }));
  }
};

function fileOf(test) {
  for (let one = test; one; one = one.parent) if (one.file) return one.file;
  return "";
}

// A hook that fails speaks for the whole group it belongs to.
function titlesOf(test) {
  return test.type === "hook" ? test.titlePath().slice(0, -1) : test.titlePath();
}
