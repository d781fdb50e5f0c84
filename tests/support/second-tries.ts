import type { Reporter, TestModule } from 'vitest/node';

/** Lists the tests that passed only when they were tried again. Each of them is a bug, in the test or in the product. */
export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests('passed')]);
    const flaky = tests.filter((test) => test.diagnostic()?.flaky);
    for (const { module, fullName } of flaky)
      process.stderr.write(`Passed only at the second try: ${module.relativeModuleId} > ${fullName}\n`);
  }
}
