// `npm run dev`: rebuilds the pages and restarts the gateway as sources change.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const installed = spawnSync(process.execPath, ['apps/server/start.mjs', '--install-only'], {
  cwd: root,
  stdio: 'inherit',
});
if (installed.status !== 0) process.exit(1);

rmSync(`${root}dist/stamp`, { force: true }); // watch builds write no stamp, so the next start must rebuild

const watchers = [
  spawn('node_modules/.bin/vite', ['build', '--watch', '-c', 'apps/web/vite.config.ts'], {
    cwd: root,
    stdio: 'inherit',
  }),
  spawn('node_modules/.bin/tsx', ['watch', 'apps/server/dev.ts'], { cwd: root, stdio: 'inherit' }),
];
for (const watcher of watchers) {
  watcher.once('exit', () => {
    for (const other of watchers) other.kill();
  });
}
