import type { Terminal } from '@xterm/xterm';
import { hasDecoder } from '#client/terminal/internals/xterm-images.mjs';

const MAX_PIXELS = 4 * 1024 * 1024; // for one image
const MAX_STORED_MB = 48;
const MAX_SEQUENCE_BYTES = 8 * 1024 * 1024;

/** An image (sixel, iTerm2), or a query whether images are supported. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences consist of control characters
const WANTED = /\x1bP[\d;]*q|\x1b\]1337;File=|\x1b\[0?c|\x1b\[\?[\d;]*S/;
const LATIN1 = new TextDecoder('latin1');
const DECODER_TURN_MS = 20;
const DECODER_TURNS = 50;
const TAIL_LETTERS = 16; // a sequence may be split across chunks

type Write = (bytes: Uint8Array, parsed: () => void) => void;

/** Writes to the terminal. The image add-on is loaded before the first image, and output waits for it. */
export function writesWithImages(terminal: Terminal, onLoaded = () => {}): Write {
  const write: Write = (bytes, parsed) => terminal.write(bytes, parsed);
  let present: Write = look;
  let tail = '';

  function look(bytes: Uint8Array, parsed: () => void): void {
    const text = tail + LATIN1.decode(bytes);
    tail = text.slice(-TAIL_LETTERS);
    if (!WANTED.test(text)) {
      write(bytes, parsed);
      return;
    }
    const loaded = load(terminal).finally(() => {
      onLoaded(); // the add-on takes all of OSC 1337
      present = write;
    });
    present = (later, done) => void loaded.then(() => write(later, done));
    present(bytes, parsed);
  }

  return (bytes, parsed) => present(bytes, parsed);
}

async function load(terminal: Terminal): Promise<void> {
  try {
    const { ImageAddon } = await import('@xterm/addon-image');
    const addon = new ImageAddon({
      pixelLimit: MAX_PIXELS,
      storageLimit: MAX_STORED_MB,
      sixelSizeLimit: MAX_SEQUENCE_BYTES,
      iipSizeLimit: MAX_SEQUENCE_BYTES,
      enableSizeReports: false,
    });
    terminal.loadAddon(addon);
    for (let turns = 0; !hasDecoder(addon) && turns < DECODER_TURNS; turns += 1)
      await new Promise((resolve) => setTimeout(resolve, DECODER_TURN_MS));
  } catch {
    // no network, or no WebAssembly: only text is shown
  }
}
