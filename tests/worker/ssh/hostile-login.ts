import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Connection } from 'ssh2';
import { type SshDouble, startDouble } from '../ssh-double.ts';

interface Insides {
  readonly _sock: Socket;
  readonly _protocol: {
    _debug: (message: string) => void;
    readonly _kex: { finish(): void };
    readonly _authsQueue: string[];
    readonly _cipher: { allocPacket(payload_bytes: number): Buffer; encrypt(packet: Buffer): void };
    readonly _handlers: Record<string, (protocol: unknown, ...fields: readonly unknown[]) => void>;
    serviceAccept(name: string): void;
    authFailure(methods: readonly string[], is_partial?: boolean): void;
    authSuccess(): void;
    authPKOK(algorithm: string, key: Buffer): void;
    authInfoReq(name: string, instructions: string, prompts: readonly object[]): void;
    ping(): void;
    channelOpenConfirm(remote: number, local: number, window: number, max_packet: number): void;
  };
}

/** Uses internals of the locked ssh2 version for what an honest server never does. */
export function insidesOf(client: Connection): Insides {
  return client as unknown as Insides;
}

/** ssh2 answers only what it was asked. */
function answerUnasked({ _protocol }: Insides, answer: 'success' | 'failure'): void {
  _protocol._authsQueue.push('none');
  if (answer === 'success') _protocol.authSuccess();
  else _protocol.authFailure(['password']);
}

export interface Eager extends SshDouble {
  /** Everything the client sent since its first key-exchange message. */
  heard(): Buffer;
  /** Resolves when the client has processed everything and answered every ping, or has disconnected. */
  readonly understood: Promise<void>;
  readonly gone: Promise<void>;
}

export const PINGS = 3; // The client may have requested authentication twice by then.
// Between the two NEWKEYS ssh2 sends plain text with the message type in the first byte, which otherwise is 0, part of a length.
export const PONG = { kind: 82, bytes: 16 } as const;

/**
 * Behind its NEWKEYS, and without waiting for those of the client, goes on as if it were trusted: offers the sign-in and
 * asks for a password.
 */
export async function startEager({ refuses_unasked }: { refuses_unasked: boolean }): Promise<Eager> {
  let heard = Buffer.alloc(0);
  let understand = () => {};
  let leave = () => {};
  const understood = new Promise<void>((resolve) => {
    understand = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    leave = resolve;
  });

  function connected(client: Connection): void {
    const insides = insidesOf(client);
    const { _protocol, _sock } = insides;
    let pongs = 0;
    function listen(bytes: Buffer): void {
      heard = Buffer.concat([heard, bytes]);
      if (refuses_unasked || bytes.includes('ssh-connection')) answerUnasked(insides, 'failure');
      if (bytes[0] !== PONG.kind) return;
      pongs += 1;
      if (pongs < PINGS) _protocol.ping();
      else understand();
    }
    function rushAhead(): void {
      _sock.removeAllListeners('data').on('data', listen);
      _protocol._kex.finish();
      _protocol.serviceAccept('ssh-userauth');
      _protocol.ping();
    }
    _sock.on('close', understand).on('close', leave);
    _protocol._debug = (message) => {
      if (message === 'Outbound: Sending NEWKEYS') queueMicrotask(rushAhead);
    };
  }
  return { ...(await startDouble({ connected })), heard: () => heard, understood, gone };
}

/** Admits everybody before they have named themselves. */
export function startRash(): Promise<SshDouble> {
  return startDouble({
    connected: (client) => client.on('handshake', () => answerUnasked(insidesOf(client), 'success')),
  });
}

export interface Curious extends SshDouble {
  /** The authentication methods of the client. */
  readonly methods: string[];
  /** The client's answers after it was admitted. */
  readonly stolen: unknown[];
  /** Prompts for username and password; resolves when the client has processed it. */
  pry(): Promise<void>;
}

const QUESTIONS = [
  { prompt: 'Username', echo: true },
  { prompt: 'Password', echo: false },
];

/** A bastion to this port of 127.0.0.1 that keeps authentication open after its end. */
export async function startCurious(to_port: number): Promise<Curious> {
  const methods: string[] = [];
  const stolen: unknown[] = [];
  let pry = async () => {};
  function connected(client: Connection): void {
    const { _protocol, _sock } = insidesOf(client);
    const handlers = _protocol._handlers;
    handlers['USERAUTH_REQUEST'] = (_, _user, _service, method) => {
      methods.push(String(method));
      if (methods.length > 1) return;
      _sock.cork(); // The client has started on the first when the second arrives.
      _protocol.authFailure(['keyboard-interactive'], true);
      answerUnasked({ _protocol, _sock }, 'success');
      Object.assign(client, { authenticated: true });
      _sock.uncork();
    };
    handlers['USERAUTH_INFO_RESPONSE'] = (_, answers) => stolen.push(answers);
    pry = async () => {
      _protocol._authsQueue.push('keyboard-interactive');
      _protocol.authInfoReq('', 'Sign in again', QUESTIONS);
      await pong(insidesOf(client));
    };
    client.on('tcpip', (accept) => {
      const channel = accept();
      channel.pipe(connect(to_port, '127.0.0.1')).pipe(channel);
    });
  }
  return { ...(await startDouble({ connected })), methods, stolen, pry: () => pry() };
}

async function pong({ _protocol, _sock }: Insides): Promise<void> {
  const answered = once(_sock, 'data');
  _protocol.ping();
  await answered;
}
