import { shownName } from '../../lib/hidden-characters.ts';

/** What a program in a terminal wants to say, not yet fit to be shown. */
export interface ProgramMessage {
  readonly title: string;
  readonly body: string;
}

export const MESSAGE_OSCS: ReadonlySet<number> = new Set([9, 99, 777]);

const MOST_PART_BYTES = 4096;
const MOST_PENDING = 8; // messages of kitty whose end has not arrived
/** Matches commands of ConEmu, such as `9;4;1;50` for a progress bar. */
const CONEMU = /^(?:[1-9]|1[0-2])(?:;|$)/;

/** Reads the notifications of iTerm2 (9), kitty (99) and urxvt (777). */
export function createMessageReader(): (osc: number, data: string) => ProgramMessage | undefined {
  const readKitty = createKittyReader();
  return (osc, data) => {
    if (osc === 9) return CONEMU.test(data) ? undefined : said({ title: '', body: data });
    if (osc === 99) return readKitty(data);
    return osc === 777 ? readUrxvt(data) : undefined;
  };
}

function readUrxvt(data: string): ProgramMessage | undefined {
  const [verb, title = '', ...body] = data.split(';');
  return verb === 'notify' ? said({ title, body: body.join(';') }) : undefined;
}

type Part = 'title' | 'body';
type Pending = Record<Part, Uint8Array>;

/** Collects chunks by their id until one is the last. */
function createKittyReader(): (data: string) => ProgramMessage | undefined {
  const pending = new Map<string, Pending>();
  return (data) => {
    const at = data.indexOf(';');
    if (at < 0) return undefined;
    const fields = new Map(data.slice(0, at).split(':').map(fieldOf));
    const part = fields.get('p') ?? 'title';
    if (part !== 'title' && part !== 'body') return undefined;
    const id = (fields.get('i') ?? '').slice(0, 64);
    const before = pending.get(id) ?? { title: new Uint8Array(), body: new Uint8Array() };
    const now = {
      ...before,
      [part]: joined(before[part], bytesOf(data.slice(at + 1), fields.get('e') === '1')),
    };
    pending.delete(id);
    if (fields.get('d') !== '0') return said({ title: textOf(now.title), body: textOf(now.body) });
    pending.set(id, now);
    const [oldest] = pending.keys();
    if (pending.size > MOST_PENDING && oldest !== undefined) pending.delete(oldest);
    return undefined;
  };
}

function fieldOf(field: string): [string, string] {
  const at = field.indexOf('=');
  return at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)];
}

function bytesOf(payload: string, is_base64: boolean): Uint8Array {
  if (!is_base64) return new TextEncoder().encode(payload);
  try {
    return Uint8Array.from(atob(payload.replace(/[^A-Za-z0-9+/]/g, '')), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array(); // of a length that no encoder writes
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(Math.min(MOST_PART_BYTES, one.length + other.length));
  all.set(one);
  all.set(other.subarray(0, all.length - one.length), one.length);
  return all;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function said(message: ProgramMessage): ProgramMessage | undefined {
  return message.title.trim() === '' && message.body.trim() === '' ? undefined : message;
}

const LONGEST_NAME = 60;
const LONGEST_TITLE = 80;
const LONGEST_BODY = 240;

/** A message as it may be shown: of bounded length, with the terminal's name in front, on one line each. */
export function presentMessage(terminal: string, { title, body }: ProgramMessage): ProgramMessage {
  const name = shortText(terminal, LONGEST_NAME);
  const heading = shortText(title, LONGEST_TITLE);
  return {
    title: heading === '' ? name : `${name}: ${heading}`,
    body: shortText(body, LONGEST_BODY),
  };
}

/** A text of a program in one line, with its hidden characters as code points. */
export function shortText(text: string, most: number): string {
  const raw = text
    .slice(0, 4 * most)
    .replace(/\s+/g, ' ')
    .trim();
  const letters = [...shownName(raw)];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('');
}
