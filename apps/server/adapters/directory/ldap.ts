import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Entry, Filter, InvalidCredentialsError, ResultCodeError } from 'ldapts';
import { Fault } from '#core/errors.ts';
import { foldDn, namingPartOf } from '#core/lib/text/distinguished-name.ts';
import { fold, LONGEST_FOLDED, normalized } from '#core/lib/text/fold.ts';
import { Username } from '#core/model/accounts/user.ts';
import type { Directory } from '#core/ports/identity.ts';
import type { Log } from '#core/ports/runtime.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { LdapConfig } from '../../config/ldap.ts';
import { createAddressMatcher } from '../../lib/address-ranges.ts';
import { createFailover } from './failover.ts';
import { DirectoryError, hostOf, type LdapConnection, type LdapServer, openLdap } from './ldap-connection.ts';

const TIMEOUT_MS = 5000;
const PAGE = 500; // Active Directory returns at most 1,000 entries
const MAX_NAME = 150; // the length limit of usernames
const ENTRY_UUID = 'entryUUID'; // RFC 4530; operational, so it must be requested by name
const OBJECT_GUID = 'objectGUID'; // Active Directory
const MOST_NAMESAKES = 100; // a list that is cut off decides nothing
const MUST_CHANGE = 'pwdReset'; // of the password policy overlay: an administrator has set the password
const EXPIRED = /\bdata (?:532|773)\b/; // Active Directory, only with the right password: expired, must be changed
const ENTRY_IDS = { explicitBufferAttributes: [OBJECT_GUID] }; // 16 bytes, not text

export type LdapOptions = Omit<LdapConfig, 'group_map' | 'admin_groups'> & {
  readonly log: Log;
  readonly timeout_ms?: number;
};

export interface LdapDirectory extends Directory {
  /** Checks what every sign-in needs. A DirectoryError names the step that fails. */
  probe(): Promise<void>;
}

/** Reads the CA file immediately, so that the start fails when it is unreadable. */
export function createLdapDirectory(options: LdapOptions): LdapDirectory {
  const { log, bind_dn, user_base, user_filter, timeout_ms = TIMEOUT_MS } = options;
  const common = { ...options, ca: readAuthorities(options.ca_file), timeout_ms };
  const servers = options.urls.map((url): LdapServer => ({ ...common, url }));
  const inTurn = createFailover(servers, log);
  const attribute = nameAttributeOf(user_filter);
  const attributes = [attribute, ENTRY_UUID, OBJECT_GUID, MUST_CHANGE];
  const limits = { timeLimit: Math.ceil(timeout_ms / 1000) };

  async function bindService(service: LdapConnection): Promise<void> {
    if (bind_dn === '') return;
    await service.run('bind as the service account (SERVICE_LDAP_BIND_DN)', (it) =>
      it.bind(bind_dn, options.bind_password),
    );
  }

  async function findUser(service: LdapConnection, username: string): Promise<Entry | undefined> {
    const filter = fillFilter(user_filter, { username });
    const { searchEntries } = await service.run('search for the user (SERVICE_LDAP_USER_BASE)', (it) =>
      it.search(user_base, { ...limits, ...ENTRY_IDS, filter, attributes, sizeLimit: MOST_NAMESAKES }),
    );
    if (searchEntries.length < 2) return searchEntries[0];
    log.warn({ username }, 'Sign-in refused: more than one directory entry has this username');
    return undefined;
  }

  async function groupsOf(service: LdapConnection, dn: string, username: string) {
    const { group_base, group_filter } = options;
    if (group_base === undefined) return undefined;
    const filter = fillFilter(group_filter, { dn, username });
    const { searchEntries } = await service.run('search for groups (SERVICE_LDAP_GROUP_BASE)', (it) =>
      it.search(group_base, { ...limits, filter, attributes: ['cn'], paged: { pageSize: PAGE } }),
    );
    return searchEntries.map((entry) => ({ dn: entry.dn, names: valuesOf(entry) }));
  }

  async function assertExists(service: LdapConnection, variable: string, base: string): Promise<void> {
    await service.run(`read ${base} (${variable})`, (it) =>
      it.search(base, { ...limits, scope: 'base', attributes: ['1.1'] }),
    );
  }

  async function probeAt(server: LdapServer): Promise<void> {
    const service = await openLdap(server);
    try {
      await bindService(service);
      await assertExists(service, 'SERVICE_LDAP_USER_BASE', user_base);
      const { group_base } = options;
      if (group_base !== undefined) await assertExists(service, 'SERVICE_LDAP_GROUP_BASE', group_base);
    } finally {
      await service.close();
    }
  }

  async function authenticateAt(server: LdapServer, username: string, password: string) {
    const service = await openLdap(server);
    try {
      await bindService(service);
      const entry = await findUser(service, username);
      if (!entry) return await refuseSlowly(server, user_base);
      const answer = await bindAs(server, entry.dn, password);
      if (answer === 'refused') return undefined;
      if (answer === 'expired' || isSet(entry, MUST_CHANGE)) throw new Fault('directory_password_expired');
      const usernames = namesOf(entry, attribute);
      const groups = await groupsOf(service, entry.dn, usernames[0]);
      return { id: idOf(entry), usernames, groups };
    } finally {
      await service.close();
    }
  }

  return {
    async probe() {
      for (const server of servers) {
        await probeAt(server).catch((error: Error) => {
          throw servers.length > 1 ? new DirectoryError(`${hostOf(server.url)}: ${error.message}`) : error;
        });
      }
    },

    async authenticate(typed, password) {
      // RFC 4513 §5.1.2: a bind without a password succeeds anonymously.
      if (password === '' || password.includes('\0') || !isAskable(typed)) return undefined;
      const username = normalized(typed);
      return await inTurn((server) => authenticateAt(server, username, password));
    },
  };
}

/** Uses its own connection, because the service account stays bound on the other. */
async function bindAs(
  server: LdapServer,
  dn: string,
  password: string,
): Promise<'accepted' | 'expired' | 'refused'> {
  // An empty DN would bind anonymously, and a bare word would select a SASL mechanism.
  if (!dn.includes('=')) throw new DirectoryError(`LDAP: "${dn}" is not the DN of a user`);
  if (dn.length > LONGEST_FOLDED) throw new DirectoryError('LDAP: the DN of the user is too long');
  const connection = await openLdap(server);
  try {
    await connection.run('bind as the user', (it) => it.bind(dn, password));
    return 'accepted';
  } catch (error) {
    const cause = causeOf(error);
    if (cause instanceof InvalidCredentialsError) return EXPIRED.test(cause.message) ? 'expired' : 'refused';
    throw error;
  } finally {
    await connection.close();
  }
}

/** An unknown username takes as long as a wrong password: one more connection and a failed bind. */
async function refuseSlowly(server: LdapServer, user_base: string): Promise<undefined> {
  try {
    await bindAs(server, `cn=${crypto.randomUUID()},${user_base}`, crypto.randomUUID());
  } catch (error) {
    if (!(causeOf(error) instanceof ResultCodeError)) throw error;
  }
}

const isLoopbackAddress = createAddressMatcher(['127.0.0.0/8', '::1']);

/** A warning at the start when passwords would be sent in clear text. */
export function ldapWarning({ urls, starttls }: Pick<LdapConfig, 'urls' | 'starttls'>): string | undefined {
  const hosts = urls.filter((url) => !url.startsWith('ldaps:')).map(hostOf);
  const host = hosts.find((one) => !/^(.+\.)?localhost$/i.test(one) && !isLoopbackAddress(one));
  if (host === undefined || starttls) return undefined;
  return `SERVICE_LDAP_URL: passwords are sent to ${host} in clear text. Use ldaps:// or set SERVICE_LDAP_STARTTLS`;
}

function readAuthorities(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const pem = readFileSync(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`SERVICE_LDAP_CA_FILE: ${path} cannot be read as PEM certificates (${reason})`);
  }
}

/** The attribute to which the filter first compares the username. */
function nameAttributeOf(filter: string): string {
  const attribute = /\(([\w-]+)(?::[^=()]*)?[~<>]?=[^()]*\{username\}/.exec(filter)?.[1];
  if (!attribute) throw new ConfigError('SERVICE_LDAP_USER_FILTER: must compare an attribute to {username}');
  return attribute;
}

/** In one pass, so that a value that looks like a placeholder is not replaced. */
function fillFilter(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(username|dn)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : Filter.escape(value);
  });
}

/** The directory is not asked about text that cannot be a username. */
function isAskable(typed: string): boolean {
  return typed.length <= MAX_NAME && typed.trim() !== '' && !/\p{C}/u.test(typed);
}

/** An id that survives renaming and is never reused. */
function idOf(entry: Entry): string {
  const [uuid] = textOf(entry, (name) => isSame(name, ENTRY_UUID));
  if (uuid) return uuid.toLowerCase();
  const guid = entry[OBJECT_GUID];
  const [bytes] = Array.isArray(guid) ? guid : [guid];
  return Buffer.isBuffer(bytes) && bytes.length > 0 ? bytes.toString('hex') : foldDn(entry.dn);
}

/** The usernames of an entry, as the directory spells them. The name in the DN comes first: people may choose the others themselves. */
function namesOf(entry: Entry, attribute: string): [string, ...string[]] {
  const values = valuesOf(entry);
  if (values.length === 0) {
    throw new DirectoryError(
      `LDAP: the service account cannot read the attribute ${attribute} of ${entry.dn}`,
    );
  }
  const naming = namingPartOf(foldDn(entry.dn));
  const isNaming = (name: string) => fold(`${attribute}=${name}`) === naming;
  const rank = (name: string) => `${isNaming(name) ? 0 : 1}${foldValue(name)}`;
  const names = values.flatMap((value) => Username.safeParse(value.trim()).data ?? []);
  const [first, ...others] = names.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)); // directories guarantee no order
  if (first === undefined)
    throw new DirectoryError(`LDAP: ${attribute} of ${entry.dn} is not a valid username`);
  return [first, ...others];
}

/** Folds names as directories compare them (RFC 4518). */
function foldValue(name: string): string {
  return fold(name, 'NFKC').trim().replace(/\s+/g, ' ');
}

/** Text values of the requested attribute, whatever alias or case the server uses for its name. */
function valuesOf(entry: Entry): string[] {
  const others = ['dn', ENTRY_UUID, OBJECT_GUID, MUST_CHANGE];
  return textOf(entry, (name) => !others.some((other) => isSame(name, other)));
}

function isSet(entry: Entry, attribute: string): boolean {
  return textOf(entry, (name) => isSame(name, attribute)).includes('TRUE'); // RFC 4517 §3.3.3
}

function textOf(entry: Entry, isWanted: (name: string) => boolean): string[] {
  const wanted = Object.entries(entry).filter(([name]) => isWanted(name));
  const texts = wanted.flatMap(([, value]) => value).filter((value) => typeof value === 'string');
  return texts.filter(({ length }) => length <= LONGEST_FOLDED);
}

/** Attribute names ignore case. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function causeOf(error: unknown): unknown {
  return error instanceof DirectoryError ? error.cause : undefined;
}
