import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024; // the bill of materials is half a megabyte

export interface Tools {
  readonly root: string;
  /** Shows the output of a program; rejects if it fails. */
  run(program: string, ...args: string[]): Promise<void>;
  /** Returns the output of a program; rejects if it fails. */
  read(program: string, ...args: string[]): Promise<string>;
}

export function createTools(root: string): Tools {
  return {
    root,
    async run(program, ...args) {
      const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`${[program, ...args].join(' ')} failed`);
    },
    async read(program, ...args) {
      const { stdout } = await execute(program, args, { cwd: root, maxBuffer: MAX_OUTPUT_BYTES });
      return stdout;
    },
  };
}
