import { release } from './release.ts';

process.exitCode = await release(process.argv.slice(2), process.cwd(), (line) => {
  process.stdout.write(`${line}\n`);
});
