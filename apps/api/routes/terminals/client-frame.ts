import { CLIENT_FRAME_TYPES, ClientFrame, QuickOpenFrame } from '../../contract/terminals/frames.ts';

export type Said =
  | { readonly kind: 'frame'; readonly frame: ClientFrame }
  | { readonly kind: 'keys' }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'bad'; readonly message: string };

// No control frame comes near this; parsing more would hold up everybody else's terminal.
const FRAME_CHARACTERS = 64 * 1024;

/** What a text frame means: text that is not a JSON object of a known `type` is what a simple client typed. */
export function parseClientText(text: string): Said {
  const value = parseObject(text);
  const type = value?.['type'];
  if (typeof type !== 'string' || !CLIENT_FRAME_TYPES.has(type)) return { kind: 'keys' };
  const frame = ClientFrame.safeParse(value);
  if (frame.success) return { kind: 'frame', frame: frame.data };
  return type === 'resize' ? { kind: 'ignored' } : { kind: 'bad', message: `Bad ${type} frame` };
}

/** The only thing that quick connect may begin with; undefined when it is something else. */
export function parseQuickOpen(text: string): QuickOpenFrame | undefined {
  return QuickOpenFrame.safeParse(parseObject(text)).data;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.length > FRAME_CHARACTERS || !text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // typed braces
  }
}
