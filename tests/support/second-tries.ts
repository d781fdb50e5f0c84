import type { Reporter, TestModule } from 'vitest/node';

/** Lists the tests that passed only when they were tried again, and why. Each is a bug, in the test or in the product. */
export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests('passed')]);
    for (const test of tests.filter((one) => one.diagnostic()?.flaky)) {
      const reasons = (test.result().errors ?? []).map(({ message, stack }) => `\n  ${stack ?? message}`);
      const name = `${test.module.relativeModuleId} > ${test.fullName}`;
      process.stderr.write(`Passed only at the second try: ${name}${reasons.join('')}\n`);
    }
  }
}
