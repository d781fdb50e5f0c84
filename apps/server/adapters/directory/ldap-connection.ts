import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client, ResultCodeError } from 'ldapts';
import { startDeadline, untilAborted } from '#core/lib/time/deadline.ts';
import { systemAfter } from '#core/lib/time/timers.ts';

const STARTTLS = '1.3.6.1.4.1.1466.20037'; // RFC 4511 §4.14

export interface LdapServer {
  readonly url: string;
  readonly starttls: boolean;
  /** PEM of the trusted certificate authorities; undefined: those of Node. */
  readonly ca: string | undefined;
  /** Per step: connect, TLS, bind, search. */
  readonly timeout_ms: number;
}

/** A directory problem, for the operator's log and never for a client. */
export class DirectoryError extends Error {
  override name = 'DirectoryError';
}

export interface LdapConnection {
  /** Turns every error into a DirectoryError that names the step. */
  run<T>(step: string, work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openLdap(server: LdapServer): Promise<LdapConnection> {
  const tcp = connect(portOf(server.url), hostOf(server.url));
  tcp.on('error', () => tcp.destroy());
  const runStep = createSteps(tcp, server.timeout_ms);
  const client = await establish(tcp, server, runStep).catch((error: unknown) => {
    tcp.destroy();
    throw error;
  });
  return {
    run: (step, work) => runStep(step, () => work(client)),
    async close() {
      await runStep('unbind', () => client.unbind()).catch(() => tcp.destroy());
      tcp.destroy();
    },
  };
}

async function establish(tcp: Socket, server: LdapServer, runStep: Steps): Promise<Client> {
  await runStep('connect (SERVICE_LDAP_URL)', () => once(tcp, 'connect'));
  if (server.starttls) await runStep('STARTTLS', () => askForTls(tcp));
  if (server.url.startsWith('ldap:') && !server.starttls) return createClient(tcp);
  return createClient(await runStep('TLS (SERVICE_LDAP_CA_FILE)', () => secure(tcp, server)));
}

type Steps = <T>(step: string, work: () => Promise<T>) => Promise<T>;

/** A step that times out closes the connection. */
function createSteps(tcp: Socket, timeout_ms: number): Steps {
  return async (step, work) => {
    const error = () => new Error(`no answer within ${timeout_ms} ms`);
    const deadline = startDeadline({ after: systemAfter, ms: timeout_ms, error });
    deadline.signal.addEventListener('abort', () => tcp.destroy());
    try {
      return await untilAborted(deadline.signal, work());
    } catch (cause) {
      throw new DirectoryError(`LDAP, ${step}: ${messageOf(cause)}`, { cause });
    } finally {
      deadline.cancel();
    }
  };
}

/** Limits the client to this socket: the library would reconnect by itself, without bind and TLS. */
function createClient(socket: Socket): Client {
  const createConnection = () => {
    if (socket.destroyed) throw new Error('the server closed the connection');
    return socket;
  };
  return new Client({ url: 'ldap://by-the-socket', createConnection });
}

// Uses a separate client: clear text that an attacker appends to the response would stay in its buffer and be taken for
// the first data under TLS.
async function askForTls(tcp: Socket): Promise<void> {
  await createClient(tcp).exop(STARTTLS);
  tcp.removeAllListeners('data');
}

async function secure(tcp: Socket, { url, ca }: LdapServer): Promise<Socket> {
  const host = hostOf(url);
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connectTls({ socket: tcp, host, ca, rejectUnauthorized: true, ...name });
  socket.on('error', () => tcp.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port || (protocol === 'ldaps:' ? 636 : 389));
}

/** The message of a refusal without text, or of several failed addresses, is empty. */
function messageOf(error: unknown): string {
  if (error instanceof ResultCodeError) return `${error.name} ${error.message.trim()}`;
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
