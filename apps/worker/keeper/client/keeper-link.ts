import type { Socket } from 'node:net';
import { Fault, toFault } from '#core/errors.ts';
import type { EncodingName } from '#core/lib/text/encodings.ts';
import { abortable } from '#core/lib/time/deadline.ts';
import type { AdoptedShell } from '#core/ports/keeper.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { HostKeys, ShellRequest, SshTarget } from '#core/ports/ssh.ts';
import { createFrameReader, decodeAck, FRAME_KINDS, type Frame } from '../frames.ts';
import {
  type Adopted,
  decodeMessage,
  encodeMessage,
  type Order,
  PROTOCOL,
  Report,
  toFaultAgain,
  toWireFault,
} from '../messages.ts';
import { collectOutput } from './collect-output.ts';
import { createDialogue, type Dialogue, toWireTarget } from './dialogue.ts';
import { RemoteShell } from './remote-shell.ts';

export type Welcome = Extract<Report, { say: 'welcome' }>;

interface Deps {
  readonly socket: Socket;
  readonly host_keys: HostKeys;
  readonly clock: Clock;
  readonly version: string;
  readonly onWelcome: (welcome: Welcome) => void;
  readonly onUnheld: (shells: readonly number[]) => void;
}

export interface OpenOptions {
  readonly lang: string | undefined;
  readonly timeout_ms: number;
}

interface PendingCall {
  resolve(report: Report, shell: number): void;
  reject(fault: Fault): void;
}

export function lostFault(): Fault {
  return new Fault('keeper_lost');
}

/** The connection of this gateway to its keeper. */
export class KeeperLink {
  readonly #deps: Deps;
  readonly #read = createFrameReader();
  readonly #shells = new Map<number, RemoteShell>();
  readonly #calls = new Map<number, PendingCall>();
  readonly #dialogues = new Map<number, Dialogue>();
  readonly #asked = new Map<number, AbortController>();
  #last_call = 0;
  #is_closed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.order({ say: 'hello', protocol: PROTOCOL, version: deps.version });
  }

  /** How many shells of this gateway the keeper holds. */
  get held(): number {
    return this.#shells.size;
  }

  send(frame: Buffer): void {
    if (this.#deps.socket.writable) this.#deps.socket.write(frame);
  }

  order(order: Order, shell = 0): void {
    this.send(encodeMessage(shell, order));
  }

  async open(
    target: SshTarget,
    request: ShellRequest,
    { lang, timeout_ms }: OpenOptions,
  ): Promise<RemoteShell> {
    const call = ++this.#last_call;
    const dialogue = createDialogue(target, request, this.#deps.host_keys);
    this.#dialogues.set(call, dialogue);
    const { cols, rows } = request.size;
    try {
      const { report, shell: id } = await this.#call(
        call,
        {
          say: 'open',
          call,
          target: toWireTarget(target),
          size: { cols, rows },
          timeout_ms,
          hears_connection: true,
          ...(request.terminal && { terminal: request.terminal }),
          ...(lang !== undefined && { lang }),
        },
        { signal: request.signal },
      );
      dialogue.opened();
      const shell = this.#shell(id, call);
      if (converts(report, request.terminal?.encoding)) return shell;
      shell.close();
      shell.keeping.forget();
      throw new Fault('keeper_outdated');
    } catch (error) {
      this.#dialogues.delete(call);
      throw error;
    }
  }

  /** Undefined when another gateway was faster, or the shell has ended. */
  async adopt(id: number): Promise<AdoptedShell | undefined> {
    if (this.#shells.has(id)) return undefined;
    const call = ++this.#last_call;
    const shell = new RemoteShell(id, this.#lineOf(0));
    this.#shells.set(id, shell);
    const { report } = await this.#call(call, { say: 'adopt', call }, { shell: id });
    if (report.say !== 'adopted' || !report.adopted) {
      this.#shells.delete(id);
      return undefined;
    }
    return toAdopted(report.adopted, shell, this.#deps.clock);
  }

  /** The shells that no gateway holds. */
  async unheld(): Promise<readonly number[]> {
    const call = ++this.#last_call;
    const { report } = await this.#call(call, { say: 'unheld', call }, {});
    return report.say === 'listed' ? report.shells : [];
  }

  /** Throws `BadFrame`. */
  received(chunk: Buffer): void {
    for (const frame of this.#read(chunk)) this.#frame(frame);
  }

  closed(): void {
    this.#is_closed = true;
    for (const call of this.#calls.values()) call.reject(lostFault());
    for (const asked of this.#asked.values()) asked.abort(lostFault());
    for (const shell of [...this.#shells.values()]) shell.lost(lostFault());
    this.#shells.clear();
  }

  #call(
    call: number,
    order: Order,
    { signal = new AbortController().signal, shell = 0 }: { signal?: AbortSignal; shell?: number },
  ): Promise<{ report: Report; shell: number }> {
    return abortable(signal, (resolve, reject) => {
      if (this.#is_closed) {
        reject(lostFault());
        return () => undefined;
      }
      this.#calls.set(call, { resolve: (report, id) => resolve({ report, shell: id }), reject });
      this.order(order, shell);
      return () => {
        this.#calls.delete(call);
        this.order({ say: 'abort', call });
      };
    });
  }

  #lineOf(call: number) {
    return {
      send: (frame: Buffer) => this.send(frame),
      left: (id: number) => {
        this.#shells.delete(id);
        this.#dialogues.delete(call);
      },
    };
  }

  #shell(id: number, call: number): RemoteShell {
    const known = this.#shells.get(id);
    if (known) return known;
    const shell = new RemoteShell(id, this.#lineOf(call));
    this.#shells.set(id, shell);
    return shell;
  }

  #frame(frame: Frame): void {
    if (frame.kind === FRAME_KINDS.data) this.#shells.get(frame.shell)?.received(frame.payload);
    else if (frame.kind === FRAME_KINDS.ack) this.#shells.get(frame.shell)?.inputTaken(decodeAck(frame));
    else this.#reported(decodeMessage(Report, frame.payload), frame.shell);
  }

  #reported(report: Report, shell: number): void {
    switch (report.say) {
      case 'welcome':
        this.#deps.onWelcome(report);
        break;
      case 'opened':
        this.#opened(report, shell);
        break;
      case 'listed':
      case 'adopted':
        this.#settle(report.call)?.resolve(report, shell);
        break;
      case 'failed':
        this.#settle(report.call)?.reject(toFaultAgain(report.fault));
        break;
      case 'asked':
        void this.#answer(report);
        break;
      case 'unasked':
        this.#asked.get(report.question)?.abort(new Fault('operation_timeout'));
        break;
      case 'told':
        this.#dialogues.get(report.call)?.told(report.told);
        break;
      case 'unheld':
        this.#deps.onUnheld(report.shells);
        break;
      case 'ended': {
        const { end } = report;
        this.#shells
          .get(shell)
          ?.ended(end.kind === 'exit' ? end : { ...end, fault: toFaultAgain(end.fault) });
        break;
      }
    }
  }

  /** Output may follow in the same chunk, before the code that asked for the shell runs. */
  #opened(report: Extract<Report, { say: 'opened' }>, shell: number): void {
    const pending = this.#settle(report.call);
    if (!pending) {
      this.order({ say: 'forget' }, shell); // the caller has given up
      return;
    }
    this.#shell(shell, report.call);
    pending.resolve(report, shell);
  }

  #settle(call: number): PendingCall | undefined {
    const pending = this.#calls.get(call);
    this.#calls.delete(call);
    return pending;
  }

  async #answer({ call, question, asked }: Extract<Report, { say: 'asked' }>): Promise<void> {
    const abort = new AbortController();
    this.#asked.set(question, abort);
    try {
      const value = await this.#dialogues.get(call)?.answer(asked, abort.signal);
      this.order({ say: 'answer', question, value });
    } catch (error) {
      this.order({ say: 'answer', question, value: null, fault: toWireFault(toFault(error)) });
    } finally {
      this.#asked.delete(question);
    }
  }
}

/** A keeper of an older version ignores the encoding: the terminal would show, record and send garbage. */
function converts(report: Report, encoding: EncodingName = 'utf-8'): boolean {
  return encoding === 'utf-8' || (report.say === 'opened' && report.encoding === encoding);
}

async function toAdopted(adopted: Adopted, shell: RemoteShell, clock: Clock): Promise<AdoptedShell> {
  const now_ms = clock.elapsed_ms();
  const timed = <T extends { readonly age_ms: number }>({ age_ms, ...mark }: T) => ({
    ...mark,
    at_ms: now_ms - age_ms,
  });
  const { about, start, end, sizes, times, recorded, unheld_ms } = adopted;
  const bytes = await collectOutput(shell, end - start);
  return {
    about,
    shell,
    output: { offset: start, bytes, sizes: sizes.map(timed), times: times.map(timed) },
    recorded,
    unheld_ms,
  };
}
