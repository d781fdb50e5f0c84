import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that wait long: for a lease, a deadline, another round, a key of many rounds, a host of endless entries. */
const WAITING = [
  'db/store/trouble',
  'e2e/files/uploads/resumable-killed',
  'e2e/monitor/credentials',
  'e2e/monitor/server-events',
  'e2e/monitor/takeover',
  'worker/sftp/protocol/hostile-host',
  'worker/sftp/tree/walk',
  'worker/ssh/keys/private-keys',
  'worker/ssh/keys/private-keys-damaged',
];

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
  return WAITING.some((name) => moduleId.endsWith(`/tests/${name}.test.ts`));
}
