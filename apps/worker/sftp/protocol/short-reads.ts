import { Fault } from '#core/errors.ts';

const SHORT_BYTES = 4096;
const MOST_SHORT = 1000;

/** Short reads are allowed, but a host that gives a few bytes at a time costs more than they are worth. */
export function createPatience(): (read_bytes: number) => void {
  let short = 0;
  return (read_bytes) => {
    if (read_bytes < SHORT_BYTES) short += 1;
    if (short > MOST_SHORT) throw new Fault('sftp_failed', 'The host gives the file a few bytes at a time');
  };
}
