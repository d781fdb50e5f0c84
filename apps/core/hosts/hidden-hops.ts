import { FAULTS, Fault, toFault } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import {
  type ConnectionTest,
  stageNote,
  type TestEvent,
  type TestStage,
} from '../model/hosts/connection-test.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { canReach } from '../policy/server-access.ts';
import type { Ask, Question, SecuredWatch } from '../ports/ssh.ts';
import type { Connections } from './connections.ts';

/** Hides everything but the name of jump hosts that the caller may not reach. */
export interface HiddenHops {
  fault(error: unknown): Fault;
  event(event: TestEvent): TestEvent;
  test(test: ConnectionTest): ConnectionTest;
  /** A hidden host's own prompts are shown; its username and address are not. */
  ask(ask: Ask): Ask;
  /** Reports nothing of a hidden host, whose software it would name. */
  secured(watch: SecuredWatch): SecuredWatch;
}

export async function hiddenHopsFor(
  caller: Caller,
  server: ServerRow,
  connections: Pick<Connections, 'wayTo'>,
): Promise<HiddenHops> {
  const bastions = caller.is_admin ? [] : (await connections.wayTo(server)).slice(0, -1);
  const hidden = new Set(bastions.filter((hop) => !canReach(caller, hop)).map(({ name }) => name));

  const stage = (told: TestStage): TestStage => (hidden.has(told.hop) ? discreet(told) : told);

  function test({ success, message, code, stages, connection }: ConnectionTest): ConnectionTest {
    const failed = stages.find(({ ok, hop }) => !ok && hidden.has(hop));
    const told = failed && !success ? `${failed.hop} failed at the stage ${failed.name}` : message;
    const shown = connection.filter(({ hop }) => !hidden.has(hop));
    return { success, message: told, code, stages: stages.map(stage), connection: shown };
  }

  return {
    fault(error) {
      const fault = toFault(error);
      const { code, options } = fault;
      if (options.hop === undefined || !hidden.has(options.hop)) return fault;
      const { presented_host_key: _key, presented_fingerprint: _fingerprint, ...told } = options;
      return new Fault(code, `${options.hop}: ${FAULTS[code].detail}`, { ...told, cause: fault });
    },
    event(event) {
      if (event.type === 'stage') return { ...event, stage: stage(event.stage) };
      return event.type === 'result' ? { ...event, result: test(event.result) } : event;
    },
    test,
    secured: (watch) => (connection) => {
      if (!hidden.has(connection.hop)) watch(connection);
    },
    ask: (ask) => (question, signal) =>
      ask(hidden.has(question.name) ? redacted(question) : question, signal),
  };
}

function discreet(told: TestStage): TestStage {
  const { banner: _banner, presented_host_key: _key, presented_fingerprint: _fingerprint, ...stage } = told;
  return stage.ok ? { ...stage, ...stageNote('passed') } : { ...stage, detail: 'Failed', values: {} };
}

function redacted(question: Question): Question {
  const prompts = question.prompts.map(({ text, echo }) => ({ text, echo }));
  const instructions = question.is_ours ? `Sign in to ${question.name}` : question.instructions;
  return { ...question, instructions, prompts };
}
