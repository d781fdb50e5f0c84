// The steps of `npm run check`, in two lanes, since most of these programs use one processor. The compiler of a native
// module is such a program too: in a new checkout the types are checked meanwhile.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const LANES = [
  [['tsc', '-b']],
  [
    [process.execPath, 'apps/server/start.mjs', '--install-only'],
    ['npm', 'run', '--silent', 'lint'],
    ['knip'],
    ['npm', 'run', '--silent', 'client', '--', '--check'],
    ['npm', 'run', '--silent', 'docs', '--', '--logLevel', 'warn'],
    [process.execPath, 'tests/support/advisories.mjs'],
  ],
];

/** Prints the output at the end, so that programs that run at the same time do not mix theirs. */
function run([program, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
    child.once('error', reject);
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      if (code !== 0) console.error(`check: ${[program, ...args].join(' ')} failed`);
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
