import { CLIENT_FRAME_TYPES, ClientFrame, QuickOpenFrame } from '../../contract/terminals/frames.ts';

export type ClientText =
  | { readonly kind: 'frame'; readonly frame: ClientFrame }
  | { readonly kind: 'keys' }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'bad'; readonly message: string };

// Far above any control frame; parsing more would delay all other terminals.
const FRAME_CHARACTERS = 64 * 1024;

/** Text that is not a JSON object with a known `type` counts as typed input, so that simple clients work. */
export function parseClientText(text: string): ClientText {
  const value = parseObject(text);
  const type = value?.['type'];
  if (typeof type !== 'string' || !CLIENT_FRAME_TYPES.has(type)) return { kind: 'keys' };
  const frame = ClientFrame.safeParse(value);
  if (frame.success) return { kind: 'frame', frame: frame.data };
  return type === 'resize' ? { kind: 'ignored' } : { kind: 'bad', message: `Bad ${type} frame` };
}

/** The frame that quick connect must begin with; undefined for anything else. */
export function parseQuickOpen(text: string): QuickOpenFrame | undefined {
  return QuickOpenFrame.safeParse(parseObject(text)).data;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.length > FRAME_CHARACTERS || !text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // typed input that begins with a brace
  }
}
