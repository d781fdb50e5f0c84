import type { EncodingName } from '#core/lib/text/encodings.ts';
import type { Shell } from '#core/ports/ssh.ts';
import { createDecoder } from '../encodings/decoders.ts';
import { createInput } from '../encodings/input.ts';

const PIECE_BYTES = 16 * 1024; // decoded, it has at most three times as many

/** A shell that speaks another encoding, as one that speaks UTF-8. */
export function encodedShell(shell: Shell, encoding: EncodingName): Shell {
  if (encoding === 'utf-8') return shell;
  const decoder = createDecoder(encoding);
  const encode = createInput(encoding);
  return {
    start(listener) {
      const write = (text: string) => void (text === '' || listener.data(Buffer.from(text)));
      shell.start({
        data(bytes) {
          for (let at = 0; at < bytes.length; at += PIECE_BYTES)
            write(decoder.take(bytes.subarray(at, at + PIECE_BYTES)));
        },
        drain: () => listener.drain(),
        end(end) {
          write(decoder.end());
          listener.end(end);
        },
      });
    },
    write(bytes) {
      const encoded = encode(bytes);
      return encoded.length === 0 || shell.write(encoded);
    },
    resize: (size) => shell.resize(size),
    pause: () => shell.pause(),
    resume: () => shell.resume(),
    close: () => shell.close(),
  };
}
