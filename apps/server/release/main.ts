import { release } from './release.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  process.exitCode = await release(process.argv.slice(2), process.cwd(), say);
} catch (error) {
  say(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
