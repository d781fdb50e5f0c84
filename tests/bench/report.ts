import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Row, table } from './measure.ts';
import { IS_QUICK } from './quick.ts';

const FOLDER = new URL('../../dist/bench', import.meta.url).pathname;

/** Prints the rows as a table, and writes them with the machine and the date as `dist/bench/<name>.json`. */
export function report(name: string, rows: readonly Row[]): void {
  console.log(table(rows));
  const file = join(FOLDER, `${name}.json`);
  mkdirSync(FOLDER, { recursive: true });
  const measured = rows.map((row) => ({
    ...row,
    ...(row.theirs !== undefined && { ratio: row.ours / row.theirs }),
  }));
  const result = { date: new Date().toISOString(), quick: IS_QUICK, machine: machine(), rows: measured };
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  console.log(`\nAs JSON: ${file}`);
}

function machine() {
  const processors = cpus();
  return {
    processors: processors.length,
    model: processors[0]?.model.trim() ?? 'unknown',
    arch: arch(),
    memory_mib: Math.round(totalmem() / 2 ** 20),
    kernel: release(),
    node: process.version,
    load: loadavg(), // at the end, of 1, 5 and 15 minutes
  };
}
