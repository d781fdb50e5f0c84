import { expect, it } from 'vitest';
import { playerPage } from '#api/routes/recordings/player-page.ts';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;`;

const page = (change: Partial<Parameters<typeof playerPage>[0]['recording']> = {}) =>
  playerPage({
    ticket: 'a-b_c',
    recording: {
      ...{
        id: 1,
        server_id: 3,
        server_name: 'web-1',
        username: 'ann',
        file_path: 'a.cast',
        status: 'finished',
      },
      ...{ started_at: '2026-01-02T03:04:05.678Z', ended_at: null, duration_s: null, size_bytes: null },
      ...change,
    },
  });

it('escapes every text that a user can choose', () => {
  const html = page({ server_name: HOSTILE, username: HOSTILE });
  expect(html).not.toMatch(/<img|<script>|alert\(1\)<\/script>|onerror='/);
  expect(html).toContain(
    'data-server="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;&amp;amp;"',
  );
});

it('refers only to its own cast and the bundled player, with relative links', () => {
  const links = [...page().matchAll(/(?:src|href|data-cast)="([^"]*)"/g)].map(([, link]) => link);
  expect(links).toEqual([
    ...['data:,', '../../../player/player.css', '../../../player/player.js'],
    'cast?ticket=a-b_c',
  ]);
});

it('contains no inline script', () => {
  expect(page().match(/<script\b[^>]*>[^<]*/g)).toEqual([
    '<script type="module" src="../../../player/player.js">',
  ]);
});
