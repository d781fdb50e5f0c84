import type { Recording } from '#core/model/recording.ts';

// 'wasm-unsafe-eval' is for the player's WebAssembly.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PLAYER_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'private, no-store',
};

const ROOT = '../../..'; // relative to /api/recordings/{id}/play, so that any prefix works

/** The page around the bundled player. It contains no token, only a ticket for its own cast. */
export function playerPage({ recording, ticket }: { recording: Recording; ticket: string }): string {
  const { server_name, username, started_at, status } = recording;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${escapeHtml(server_name)} · ${escapeHtml(username)} · ${escapeHtml(started_at)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${ROOT}/player/player.css">
    <script type="module" src="${ROOT}/player/player.js"></script>
  </head>
  <body>
    <div
      id="recording"
      data-cast="cast?ticket=${escapeHtml(encodeURIComponent(ticket))}"
      data-server="${escapeHtml(server_name)}"
      data-username="${escapeHtml(username)}"
      data-started="${escapeHtml(started_at)}"
      data-status="${escapeHtml(status)}"
    ></div>
    <noscript>The player needs JavaScript.</noscript>
  </body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
