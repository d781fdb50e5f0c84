import type { Client } from 'ssh2';
import { printableLines } from '#core/lib/text/printable.ts';
import type { Attempt } from '../attempt.ts';

const MAX_BANNERS = 8; // per hop
const MAX_BYTES = 8 * 1024; // of all of them together
const ESC = String.fromCharCode(0x1b);
const COLORS = new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-~]`, 'g');

/** RFC 4252 §5.4: passes on what the host says before it lets the user in, once it has proved its key. */
export function watchBanners(client: Client, attempt: Attempt): void {
  let left = MAX_BANNERS;
  let left_bytes = MAX_BYTES;
  client.on('banner', (message) => {
    if (attempt.stage() !== 'auth' || left === 0) return;
    left -= 1;
    const text = printableLines(message.slice(0, MAX_BYTES).replaceAll(COLORS, ''), left_bytes);
    left_bytes -= new TextEncoder().encode(text).length;
    if (text !== '') attempt.banner(text);
  });
}
