import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that wait long: for a lease, a deadline, another round. */
const WAITING =
  /\/(monitor\/takeover|store\/trouble|monitor\/credentials|uploads\/resumable-killed|e2e\/monitor\/server-events)\.test\.ts$/;

/** As usual, but begins with what waits: a first run knows the sizes of the files alone. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))]; // a worker keeps to one as long as it can
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isWaiting), ...own.filter((file) => !isWaiting(file))];
    });
  }
}

function isWaiting({ moduleId }: TestSpecification): boolean {
  return WAITING.test(moduleId);
}
