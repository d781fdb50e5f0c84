import { Resolver } from 'node:dns/promises';
import { codeOf } from '#core/lib/errors/error-code.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { createResolverFiles, fullNames, type ResolverFiles } from './resolver-files.ts';

/** How DNS answers for a name. */
export type DnsAnswer = 'found' | 'none' | 'silent';

const TRIES = { timeout: 600, tries: 2 }; // tolerates a lost datagram or a dead first server
const SILENT_MS = 2000; // all tries together
const SILENCE = new Set<unknown>(['ETIMEOUT', 'ECANCELLED']);

export interface DnsCheckOptions {
  readonly clock: Clock;
  readonly files?: ResolverFiles;
  /** Replaces the system's DNS servers. */
  readonly dns_servers?: readonly string[];
}

/**
 * Predicts whether a lookup will be quick. The check costs a socket where the lookup blocks a thread, so any number may
 * run at once. Only the lookup itself is authoritative (hosts file, mDNS and other nsswitch sources).
 */
export function createDnsCheck({ clock, files = createResolverFiles(), dns_servers }: DnsCheckOptions) {
  return async function outlookOf(hostname: string): Promise<DnsAnswer> {
    if ((await files.hosts()).has(hostname.toLowerCase())) return 'found';
    const names = fullNames(hostname, await files.search());
    const resolver = new Resolver(TRIES); // a new one each time, since a resolver reads resolv.conf only once
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

/** Queries IPv4 and IPv6 as the lookup does, which is as slow as the slower answer. */
async function ask(resolver: Resolver, name: string): Promise<DnsAnswer> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const is_silent = answers.some(
    (answer) => answer.status === 'rejected' && SILENCE.has(codeOf(answer.reason)),
  );
  if (is_silent) return 'silent';
  return answers.some(({ status }) => status === 'fulfilled') ? 'found' : 'none';
}
