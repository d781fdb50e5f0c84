import type { GatewayProcess } from '../../gateway-process.ts';

/** Fills the registry with servers of 20 groups. */
export async function addServers({ url, token }: GatewayProcess, count: number): Promise<void> {
  const servers = Array.from({ length: count }, (_, at) => ({
    name: `${at % 3 === 0 ? 'db' : 'web'}-${Math.floor(at / 3) + 1}${at % 3 === 2 ? 'b' : ''}`,
    hostname: `host-${at}.example`,
    username: 'deploy',
    group: `group ${at % 20}`,
    tags: ['linux', `rack ${at % 40}`],
  }));
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/servers/import`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ servers }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
