import { expect, it, vi } from 'vitest';
import { faultOfProxy } from '#client/terminal/blocked.ts';
import { describeEnding } from '../../../../apps/web/terminal/status.ts';
import { translateTo } from '../../../support/texts.ts';
import { openLink, settle, ticket } from './link-double.ts';

const ARRIVAL = { requested_host: 'gate.example', is_proxy_trusted: false, accepts_origin: false };
const PAGE = 'https://gate.example:8444';

it.each([
  ['upgrades, where the gateway accepts the page', { ...ARRIVAL, accepts_origin: true }, 'proxy_upgrade'],
  ['the host', ARRIVAL, 'proxy_host'],
  ['a host that it passes on', { ...ARRIVAL, forwarded_host: 'gate.example:8444' }, 'proxy_untrusted'],
  [
    'the host, though the proxy is trusted',
    { ...ARRIVAL, forwarded_host: 'other', is_proxy_trusted: true },
    'proxy_host',
  ],
])('A proxy is blamed for %s', (_what, arrival, code) => {
  expect(faultOfProxy(arrival, PAGE).code).toBe(code);
});

it('A client outside of browsers sends no origin, so only the upgrade can be missing', () => {
  expect(faultOfProxy({ ...ARRIVAL, accepts_origin: true }, undefined).code).toBe('proxy_upgrade');
});

it('A link whose socket never opens asks the gateway why', async () => {
  const { socket, states, requests } = await openLink({
    answer: (request) =>
      request.url.includes('/api/arrival')
        ? Response.json({ ...ARRIVAL, accepts_origin: true })
        : ticket(request),
  });
  socket.end(1006);
  await vi.waitFor(() => expect(states.at(-1)).toMatchObject({ kind: 'over', ending: { kind: 'proxy' } }));
  expect(requests.at(-1)?.headers.get('authorization')).toBe('Bearer sesame');
});

it('A link whose socket opened and broke does not blame a proxy', async () => {
  const { socket, states, requests } = await openLink();
  socket.open();
  socket.end(1006);
  await settle();
  expect(states.at(-1)).toMatchObject({ kind: 'over', ending: { kind: 'unreachable' } });
  expect(requests.map(({ url }) => url)).not.toContainEqual(expect.stringContaining('/api/arrival'));
});

it('A link is unreachable when the gateway does not answer either', async () => {
  const { socket, states } = await openLink({
    answer: (request) => (request.url.includes('/api/arrival') ? Response.error() : ticket(request)),
  });
  socket.end(1006);
  await vi.waitFor(() =>
    expect(states.at(-1)).toMatchObject({ kind: 'over', ending: { kind: 'unreachable' } }),
  );
});

it.each(['en', 'es'] as const)(
  'A blocked terminal names both hosts and the header to change, in %s',
  (language) => {
    const error = faultOfProxy(ARRIVAL, PAGE);
    const tab = { server_name: 'web', server_id: 1 };
    const { detail, hint } = describeEnding({ kind: 'proxy', error }, tab, translateTo(language));
    expect(detail).toContain('gate.example:8444');
    expect(detail).toMatch(/gate\.example\.?$/);
    expect(hint).toContain('proxy_set_header Host $http_host;');
  },
);
