const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const SPACE = 0x20;
const DEL = 0x7f;
const LONGEST_OSC = 8192; // a chunk of kitty has at most 4,096 bytes of Base64
const LONGEST_NUMBER = 5;

interface ScanEvents {
  /** At most once for each piece of output. */
  bell(): void;
  /** A complete OSC sequence that is not too long. */
  osc(number: number, data: string): void;
}

export interface OutputScan {
  /** Returns whether anything visible was printed. */
  read(bytes: Uint8Array): boolean;
  /** Forgets an unfinished sequence. */
  reset(): void;
}

type State = 'text' | 'escape' | 'csi' | 'osc' | 'string';

/** Reads output for bells and these OSC sequences as it arrives, because a hidden terminal does not parse it until it is shown. */
export function createOutputScan(numbers: ReadonlySet<number>, events: ScanEvents): OutputScan {
  const held = new Uint8Array(LONGEST_OSC);
  const decoder = new TextDecoder();
  let length = 0;
  let state: State = 'text';
  let has_rung = false;

  function endOsc(): void {
    if (length >= LONGEST_OSC) return;
    const at = held.subarray(0, Math.min(length, LONGEST_NUMBER + 1)).indexOf(0x3b);
    if (at < 1) return;
    const number = Number(String.fromCharCode(...held.subarray(0, at)));
    if (numbers.has(number)) events.osc(number, decoder.decode(held.subarray(at + 1, length)));
  }

  function hold(byte: number): void {
    if (length < LONGEST_OSC) held[length++] = byte;
  }

  /** Handles the bytes that end or begin a sequence in any state. */
  function onControl(byte: number): void {
    if (byte === ESC) {
      if (state === 'osc') endOsc();
      state = 'escape';
    } else if (byte === CAN || byte === SUB) state = 'text';
    else if (byte === BEL && state === 'osc') {
      endOsc();
      state = 'text';
    } else if (byte === BEL && state !== 'string') has_rung = true;
  }

  function onSequence(byte: number): void {
    if (state === 'osc') hold(byte);
    else if (state === 'csi') state = byte >= 0x40 && byte < DEL ? 'text' : 'csi';
    else if (state === 'escape') {
      state = stateAfter(byte);
      length = 0;
    }
  }

  return {
    read(bytes) {
      let is_printed = false;
      for (const byte of bytes) {
        if (byte === BEL || byte === CAN || byte === SUB || byte === ESC) onControl(byte);
        else if (state !== 'text') onSequence(byte);
        else if (byte > SPACE && byte !== DEL) is_printed = true;
      }
      if (has_rung) events.bell();
      has_rung = false;
      return is_printed;
    },
    reset() {
      state = 'text';
    },
  };
}

const STRINGS = new Set(Array.from('PX^_', (letter) => letter.charCodeAt(0))); // DCS, SOS, PM, APC

function stateAfter(byte: number): State {
  if (byte === 0x5b) return 'csi';
  if (byte === 0x5d) return 'osc';
  if (STRINGS.has(byte)) return 'string';
  return byte < 0x30 ? 'escape' : 'text';
}
