import { nextState, type SequenceState } from '#client/terminal/sequences.mjs';
import type { Decoder } from './decoder.ts';
import { tableOf } from './tables.ts';

const WRONG = '\ufffd';
const ESC = 0x1b;
const TO_ASCII = '\x1b(B';
const HALF_WIDTH_KATAKANA = 0xff40; // and the byte

type CharacterSet = 'ascii' | 'roman' | 'katakana' | 'kanji';

/** Designations (RFC 1468, and JIS X 0201), after ESC. */
const DESIGNATIONS: Readonly<Record<string, CharacterSet>> = {
  '(B': 'ascii',
  '(J': 'roman',
  '(I': 'katakana',
  '$@': 'kanji',
  $B: 'kanji',
};

/** Other escape sequences, and control characters, pass as they are in every character set. */
export function createIso2022JpDecoder(): Decoder {
  const sets: Record<'text' | 'string', CharacterSet> = { text: 'ascii', string: 'ascii' }; // a title begins in ASCII
  let draws_lines = false;
  let begun_with = ''; // begun, and perhaps a designation
  let state: SequenceState = 'text';
  let lead: number | undefined;

  function designated(byte: number): string {
    const begun = begun_with + String.fromCharCode(byte);
    begun_with = begun;
    if (begun === '(' || begun === '$') return '';
    begun_with = '';
    const next = DESIGNATIONS[begun];
    if (next) return designate(next);
    draws_lines ||= begun.startsWith('(');
    for (const character of begun) state = nextState(state, character.charCodeAt(0));
    if (state === 'string') sets.string = 'ascii';
    return `\x1b${begun}`;
  }

  function designate(next: CharacterSet): string {
    const is_string = state === 'string_escape';
    state = is_string ? 'string' : 'text';
    sets[state] = next;
    if (is_string || !draws_lines || next === 'kanji' || next === 'katakana') return '';
    draws_lines = false;
    return TO_ASCII;
  }

  function shown(byte: number): string {
    const set = sets[state === 'string' ? 'string' : 'text'];
    if (set === 'roman' && byte === 0x5c) return '¥';
    if (set === 'roman' && byte === 0x7e) return '‾';
    if (set === 'ascii' || set === 'roman') return byte < 0x80 ? String.fromCharCode(byte) : WRONG;
    if (set === 'katakana')
      return byte >= 0x21 && byte <= 0x5f ? String.fromCharCode(HALF_WIDTH_KATAKANA + byte) : WRONG;
    if (lead === undefined) {
      if (byte > 0x7e) return WRONG;
      lead = byte;
      return '';
    }
    const pair = byte <= 0x7e ? tableOf('euc-jp').double(lead | 0x80, byte | 0x80) : undefined;
    lead = undefined;
    return pair ?? WRONG;
  }

  function dropLead(): string {
    const rest = lead === undefined ? '' : WRONG;
    lead = undefined;
    return rest;
  }

  let is_escape = false;
  function next(byte: number): string {
    if (is_escape && byte > 0x20) {
      const out = designated(byte);
      is_escape = begun_with !== '';
      return out;
    }
    if (is_escape) {
      is_escape = false;
      const begun = `\x1b${begun_with}`;
      begun_with = '';
      return begun + next(byte);
    }
    if (byte === ESC) {
      is_escape = true;
      state = nextState(state, byte);
      return dropLead();
    }
    const is_control = byte < 0x21 || byte === 0x7f || (state !== 'text' && state !== 'string');
    state = nextState(state, byte);
    return is_control ? dropLead() + String.fromCharCode(byte) : shown(byte);
  }

  return {
    take(bytes) {
      let text = '';
      for (const byte of bytes) text += next(byte);
      return text;
    },
    end() {
      const rest = (is_escape ? `\x1b${begun_with}` : '') + dropLead();
      is_escape = false;
      begun_with = '';
      return rest;
    },
  };
}
