import { Resolver } from 'node:dns/promises';
import type { Clock } from '#core/ports/runtime.ts';
import { codeOf } from '../faults.ts';
import { createResolverFiles, fullNames, type ResolverFiles } from './resolver-files.ts';

/** What DNS says of a name, if it says anything. */
export type DnsAnswer = 'found' | 'none' | 'silent';

const TRIES = { timeout: 600, tries: 2 }; // a lost datagram, or a dead first server, is not silence
const SILENT_MS = 2000; // all tries together
const SILENCE = new Set<unknown>(['ETIMEOUT', 'ECANCELLED']);

export interface DnsCheckOptions {
  readonly clock: Clock;
  readonly files?: ResolverFiles;
  /** Instead of those that the system asks. */
  readonly dns_servers?: readonly string[];
}

/**
 * Tells beforehand whether a lookup will be quick. It costs a socket, where the lookup itself costs a thread, so any
 * number may be asked for at once; the lookup alone knows the truth (hosts file, mDNS and what else nsswitch names).
 */
export function createDnsCheck({ clock, files = createResolverFiles(), dns_servers }: DnsCheckOptions) {
  return async function outlookOf(hostname: string): Promise<DnsAnswer> {
    if ((await files.hosts()).has(hostname.toLowerCase())) return 'found';
    const names = fullNames(hostname, await files.search());
    const resolver = new Resolver(TRIES); // a fresh one, since it reads resolv.conf only once
    if (dns_servers) resolver.setServers(dns_servers);
    const cancel = clock.after(SILENT_MS, () => resolver.cancel());
    try {
      return await firstAnswer(resolver, names);
    } finally {
      cancel();
    }
  };
}

async function firstAnswer(resolver: Resolver, names: readonly string[]): Promise<DnsAnswer> {
  for (const name of names) {
    const answer = await ask(resolver, name);
    if (answer !== 'none') return answer;
  }
  return 'none';
}

/** Both kinds of address, as the lookup does: it is as slow as the slower answer. */
async function ask(resolver: Resolver, name: string): Promise<DnsAnswer> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const is_silent = answers.some(
    (answer) => answer.status === 'rejected' && SILENCE.has(codeOf(answer.reason)),
  );
  if (is_silent) return 'silent';
  return answers.some(({ status }) => status === 'fulfilled') ? 'found' : 'none';
}
