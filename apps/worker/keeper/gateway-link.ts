import type { Socket } from 'node:net';
import { Fault, toFault } from '#core/errors.ts';
import { abortable } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Shell } from '#core/ports/ssh.ts';
import type { Dialler } from '../ssh/dial/connect.ts';
import { BadFrame, createFrameReader, decodeAck, FRAME_KINDS, type Frame } from './frames.ts';
import type { Holder, KeptShell } from './kept-shell.ts';
import {
  decodeMessage,
  encodeMessage,
  Order,
  PROTOCOL,
  type Report,
  toFaultAgain,
  toWireFault,
} from './messages.ts';
import { type DialFace, openForGateway } from './remote-dial.ts';

const MAX_DIALS = 1000;
const BUSY = `This gateway is already opening ${MAX_DIALS.toLocaleString('en')} terminals`;

/** All shells of a keeper, as one connection uses them. */
export interface KeptShells {
  get(id: number): KeptShell | undefined;
  all(): Iterable<KeptShell>;
  add(shell: Shell, size: { cols: number; rows: number }, holder: Holder): KeptShell;
  /** Tells the gateways which shells nobody holds. */
  unheld(shells: readonly KeptShell[]): void;
}

interface Deps {
  readonly socket: Socket;
  readonly shells: KeptShells;
  readonly dialler: Dialler;
  readonly clock: Clock;
  readonly version: string;
  /** Gateways that are connected besides this one. */
  readonly others: () => number;
  /** A gateway wants the keeper to end, with all its shells. */
  readonly onStop: () => void;
}

interface Question {
  resolve(value: unknown): void;
  reject(fault: Error): void;
}

/** One gateway's connection. What it sends is checked; anything else ends the connection. */
export class GatewayLink implements Holder {
  readonly #deps: Deps;
  readonly #read = createFrameReader();
  readonly #dials = new Map<number, AbortController>();
  readonly #questions = new Map<number, Question>();
  #last_question = 0;
  #is_greeted = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get is_greeted(): boolean {
    return this.#is_greeted;
  }

  send(frame: Buffer): void {
    if (this.#deps.socket.writable) this.#deps.socket.write(frame);
  }

  report(report: Report, shell = 0): void {
    this.send(encodeMessage(shell, report));
  }

  /** Throws `BadFrame`. */
  received(chunk: Buffer): void {
    for (const frame of this.#read(chunk)) this.#frame(frame);
  }

  closed(): void {
    const gone = new Fault('shutting_down');
    for (const dial of this.#dials.values()) dial.abort(gone);
    for (const question of this.#questions.values()) question.reject(gone);
    const held = [...this.#deps.shells.all()].filter((shell) => shell.isHeldBy(this));
    this.#deps.shells.unheld(held.filter((shell) => shell.release()));
  }

  #frame(frame: Frame): void {
    if (frame.kind === FRAME_KINDS.control) {
      const order = decodeMessage(Order, frame.payload);
      if (!this.#is_greeted && order.say !== 'hello' && order.say !== 'stop')
        throw new BadFrame('No greeting');
      this.#obey(order, frame.shell);
      return;
    }
    const shell = this.#held(frame.shell);
    if (frame.kind === FRAME_KINDS.data) shell?.input(frame.payload);
    else if (frame.kind === FRAME_KINDS.ack) shell?.ack(decodeAck(frame));
    else throw new BadFrame(`There is no frame of kind ${frame.kind}`);
  }

  /** A shell that was forgotten while the frame was on its way is ignored; one of another gateway is never touched. */
  #held(id: number): KeptShell | undefined {
    const shell = this.#deps.shells.get(id);
    return shell?.isHeldBy(this) ? shell : undefined;
  }

  #obey(order: Order, id: number): void {
    switch (order.say) {
      case 'hello':
        this.#greet();
        break;
      case 'stop':
        this.#deps.onStop();
        break;
      case 'open':
        if (this.#dials.has(order.call)) throw new BadFrame('A dial has the number of another');
        if (this.#dials.size < MAX_DIALS) void this.#open(order);
        else this.#failed(order.call, new Fault('host_busy', BUSY)); // a bad frame would end everybody's terminals
        break;
      case 'abort':
        this.#dials.get(order.call)?.abort(new Fault('shutting_down'));
        break;
      case 'answer':
        this.#answered(order);
        break;
      case 'unheld':
        this.report({ say: 'listed', call: order.call, shells: this.#unheld() });
        break;
      case 'adopt':
        this.#adopt(order.call, id);
        break;
      default:
        this.#obeyFor(this.#held(id), order);
        break;
    }
  }

  #obeyFor(shell: KeptShell | undefined, order: Order): void {
    switch (order.say) {
      case 'resize':
        shell?.resize(order);
        break;
      case 'close':
        shell?.close();
        break;
      case 'forget':
        shell?.forget();
        break;
      case 'release':
        if (shell?.release()) this.#deps.shells.unheld([shell]);
        break;
      case 'note':
        shell?.note(order);
        break;
      case 'recorded':
        shell?.recorded(order);
        break;
    }
  }

  #greet(): void {
    const { version, shells, others } = this.#deps;
    this.#is_greeted = true;
    this.report({
      say: 'welcome',
      protocol: PROTOCOL,
      version,
      shells: [...shells.all()].length,
      others: others(),
    });
  }

  #unheld(): number[] {
    return [...this.#deps.shells.all()].filter((shell) => shell.isHeldBy(undefined)).map(({ id }) => id);
  }

  #adopt(call: number, id: number): void {
    const shell = this.#deps.shells.get(id);
    const adopted = shell?.adopt(this);
    this.report({ say: 'adopted', call, ...(adopted && { adopted }) }, id);
    if (adopted) shell?.resume();
  }

  async #open(order: Extract<Order, { say: 'open' }>): Promise<void> {
    const { call, size, terminal } = order;
    const { dialler, clock, shells } = this.#deps;
    const abort = new AbortController();
    this.#dials.set(call, abort);
    try {
      const shell = await openForGateway(order, {
        dialler,
        clock,
        signal: abort.signal,
        face: this.#faceOf(call),
      });
      if (abort.signal.aborted) return shell.close();
      const kept = shells.add(shell, size, this);
      this.report({ say: 'opened', call, ...(terminal && { encoding: terminal.encoding }) }, kept.id);
      kept.start();
    } catch (error) {
      this.#failed(call, error);
    } finally {
      this.#dials.delete(call);
    }
  }

  #failed(call: number, error: unknown): void {
    this.report({ say: 'failed', call, fault: toWireFault(toFault(error)) });
  }

  #faceOf(call: number): DialFace {
    return {
      tell: (told) => this.report({ say: 'told', call, told }),
      ask: (asked, signal = new AbortController().signal) => {
        const question = ++this.#last_question;
        return abortable(signal, (resolve, reject) => {
          this.#questions.set(question, { resolve, reject });
          this.report({ say: 'asked', call, question, asked });
          return () => {
            this.#questions.delete(question);
            this.report({ say: 'unasked', question });
          };
        });
      },
    };
  }

  #answered({ question, value, fault }: Extract<Order, { say: 'answer' }>): void {
    const asked = this.#questions.get(question);
    this.#questions.delete(question);
    if (fault) asked?.reject(toFaultAgain(fault));
    else asked?.resolve(value);
  }
}
