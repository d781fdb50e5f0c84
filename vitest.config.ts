import { configDefaults, defineConfig } from 'vitest/config';
import { IS_BALANCED } from './tests/support/gateway/is-balanced.ts';
import { SecondTries } from './tests/support/second-tries.ts';
import { WaitingFirst } from './tests/support/sequencer.ts';

// These tests wait for other programs. One stall of the machine must not fail the whole run; the run names each test that
// was tried again, and such a test is a bug.
const outside = { retry: 1 };

const database = { globalSetup: ['tests/support/global-setup.ts'] };

// Test files share modules, because loading them again for each file took a quarter of the run. So no test may depend on
// what a module keeps.
const shared = {
  isolate: false,
  expect: { poll: { timeout: 20_000 } }, // the default of one second is too short with four workers
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
    reporters: ['default', new SecondTries()],
    sequence: { sequencer: WaitingFirst },
    maxWorkers: 4, // most of the time is spent waiting for servers
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          testTimeout: 30_000,
          setupFiles: ['tests/support/openapi-first.ts'],
          include: ['tests/{core,api,web,server}/**/*.test.ts', 'tests/*.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          ...outside,
          name: 'db',
          include: ['tests/db/**/*.test.ts'],
          testTimeout: 30_000,
          ...database,
        },
      },
      {
        test: {
          ...shared,
          ...outside,
          name: 'worker',
          include: ['tests/worker/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          ...outside,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          exclude,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...database,
        },
      },
    ],
  },
});
