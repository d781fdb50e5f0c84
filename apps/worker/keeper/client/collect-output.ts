import { MAX_DATA_BYTES } from '../frames.ts';
import type { RemoteShell } from './remote-shell.ts';

/** At least the first `size` bytes of a shell's output; what follows waits for the next listener. */
export async function collectOutput(shell: RemoteShell, size: number): Promise<Uint8Array> {
  const collected = new Uint8Array(size + MAX_DATA_BYTES); // new output may share a frame with the last of the old
  let length = 0;
  if (size > 0)
    await new Promise<void>((resolve, reject) => {
      shell.start({
        data(bytes) {
          collected.set(bytes, length);
          length += bytes.length;
          if (length < size) return;
          shell.park();
          resolve();
        },
        drain: () => undefined,
        end: (end) => reject(end.kind === 'lost' ? end.fault : new Error('The shell has ended')),
      });
    });
  return collected.slice(0, length);
}
