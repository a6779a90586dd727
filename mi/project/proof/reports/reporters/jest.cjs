// Report what jest ran.
"use strict";
const { ReportWriter, isAsked } = require("./lines.cjs");

const OUTCOMES = { passed: "passed", failed: "failed" };

module.exports = class MiReporter {
  constructor() {
    this.writer = isAsked() ? new ReportWriter("jest") : null;
  }

  onTestResult(test, result) {
    if (!this.writer) return;
    for (const one of result.testResults) {
      this.writer.add(test.path, [...one.ancestorTitles, one.title], OUTCOMES[one.status] || "skipped");
    }
    if (result.testExecError || (result.failureMessage && !result.testResults.some((one) => one.status === "failed"))) {
      this.writer.add(test.path, [], "failed");
    }
  }

  onRunComplete(_, results) {
    if (this.writer) this.writer.end({ failed: results.numFailedTests, exit: results.success ? 0 : 1 });
  }
};
