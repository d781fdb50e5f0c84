// The steps of `npm run check`, in two lanes, since most of these programs use one processor. In a new checkout, the second lane
// compiles the native modules while the first one checks types and style.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const LANES = [
  [
    ['tsc', '-b', '--singleThreaded'], // several threads take half as much processor time again
    ['npm', 'run', '--silent', 'lint'],
    ['knip'],
    ['npm', 'run', '--silent', 'docs'],
  ],
  [
    [process.execPath, 'apps/server/start.mjs', '--install-only'],
    ['npm', 'run', '--silent', 'lint:api'], // also fails if the document is not the one `npm run client` would write
    ['npm', 'run', '--silent', 'client:types', '--', '--check'],
    [process.execPath, 'tests/support/advisories.mjs'],
  ],
];

/**
 * Prints the output at the end, so that programs that run at the same time do not mix theirs. Banners on standard error are
 * left out if the program passed.
 */
function run([program, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    const errors = [];
    child.stdout.on('data', (bytes) => output.push(bytes));
    child.stderr.on('data', (bytes) => errors.push(bytes));
    child.once('error', reject);
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      if (code !== 0) {
        process.stderr.write(Buffer.concat(errors));
        console.error(`check: ${[program, ...args].join(' ')} failed`);
      }
      resolve(code === 0);
    });
  });
}

async function runLane(commands) {
  let passed = true;
  for (const command of commands) passed = (await run(command)) && passed;
  return passed;
}

const passed = await Promise.all(LANES.map(runLane));
process.exitCode = passed.every(Boolean) ? 0 : 1;
