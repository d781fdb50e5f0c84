import { configDefaults, defineConfig } from 'vitest/config';
import { IS_BALANCED } from './tests/support/gateway/is-balanced.ts';
import { WaitingFirst } from './tests/support/sequencer.ts';

const database = { globalSetup: ['tests/support/global-setup.ts'] };

const OVERWRITING = new URL('./tests/support/overwrite-returned.ts', import.meta.url).pathname;

// Test files share modules, because loading them again for each file took a quarter of the run. So no test may depend on
// what a module keeps.
const shared = {
  isolate: false,
  alias: [{ find: /^.*\/returned-memory\.ts$/, replacement: OVERWRITING }],
  expect: { poll: { timeout: 60_000 } }, // only a failure takes as long, however busy the machine is
};

/** A balanced run leaves out pages, the bytes of HTTP itself, and tests that choose their instances and processes. */
const unbalanced = [
  'page.test.ts',
  '*-page.test.ts',
  'instances/**',
  'operations/**',
  'terminals/keeper.test.ts',
  'audit/tampering.test.ts',
  'monitor/{credentials,takeover}.test.ts',
  'http/{early-refusals,other-protocols,statements}.test.ts',
];
const exclude = [
  ...configDefaults.exclude,
  ...(IS_BALANCED ? unbalanced.map((path) => `tests/e2e/**/${path}`) : []),
];

/** `unit` needs nothing, `db` PostgreSQL, `worker` sshd, `e2e` all of them and Chromium. */
export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    maxWorkers: 4, // most of the time is spent waiting for servers
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          testTimeout: 90_000,
          hookTimeout: 90_000,
          setupFiles: ['tests/support/openapi-first.ts'],
          include: ['tests/{core,api,web,server}/**/*.test.ts', 'tests/*.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'db',
          include: ['tests/db/**/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 90_000,
          ...database,
        },
      },
      {
        test: {
          ...shared,
          name: 'worker',
          include: ['tests/worker/**/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          exclude,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          ...database,
        },
      },
    ],
  },
});
