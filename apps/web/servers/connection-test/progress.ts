import type { Schemas } from '#client/client.ts';
import type { TestEvent } from '#client/event-stream.ts';

type TestStage = Schemas['ConnectionTest']['stages'][number];

export interface ShownStage {
  readonly name: TestStage['name'];
  /** Name of the server that the stage belongs to. */
  readonly hop: string;
  /** `given_up`: it was running when the test was cancelled or interrupted. */
  readonly state: 'running' | 'passed' | 'failed' | 'given_up';
  readonly ms: number | undefined;
  /** What it says, in English; `code` and `values` say the same. */
  readonly detail: string;
  readonly code: string;
  readonly values: Readonly<Record<string, string>>;
  /** What the host says before it lets a user in. */
  readonly banner?: string | undefined;
  /** The host key that was refused, as in a `known_hosts` file. */
  readonly presented_host_key?: string | undefined;
  readonly presented_fingerprint?: string | undefined;
}

export interface TestProgress {
  readonly stages: readonly ShownStage[];
  /** Set once the test has finished. */
  readonly verdict: Pick<Schemas['ConnectionTest'], 'success' | 'message' | 'code'> | undefined;
  /** How the connection to each server is protected, known once the test has finished. */
  readonly connection: Schemas['ConnectionTest']['connection'];
}

export const NOT_BEGUN: TestProgress = { stages: [], verdict: undefined, connection: [] };

/** Applies one event to the progress of a test. */
export function advance(progress: TestProgress, event: TestEvent): TestProgress {
  switch (event.type) {
    case 'begin':
      return {
        ...progress,
        stages: [
          ...progress.stages,
          {
            name: event.name,
            hop: event.hop,
            state: 'running',
            ms: undefined,
            detail: '',
            code: '',
            values: {},
          },
        ],
      };
    case 'stage':
      return { ...progress, stages: settle(progress.stages, settled(event.stage)) };
    case 'result': {
      const { success, message, code, stages, connection } = event.result;
      return { stages: stages.map(settled), verdict: { success, message, code }, connection };
    }
  }
}

/** Marks running stages as given up. */
export function giveUp(progress: TestProgress): TestProgress {
  const stages = progress.stages.map((stage) =>
    stage.state === 'running' ? { ...stage, state: 'given_up' as const } : stage,
  );
  return { ...progress, stages };
}

function settled({ ok, ...stage }: TestStage): ShownStage {
  return { ...stage, state: ok ? 'passed' : 'failed' };
}

/** Replaces the running stage; some stages finish without a `begin` event. */
function settle(stages: readonly ShownStage[], done: ShownStage): ShownStage[] {
  const at = stages.findLastIndex(
    ({ name, hop, state }) => state === 'running' && name === done.name && hop === done.hop,
  );
  return at < 0 ? [...stages, done] : stages.with(at, done);
}

export interface TestedHop {
  readonly hop: string;
  readonly stages: readonly ShownStage[];
}

/** Groups the stages by hop, in connection order. */
export function hopsOf(stages: readonly ShownStage[]): TestedHop[] {
  const hops: { hop: string; stages: ShownStage[] }[] = [];
  for (const stage of stages) {
    const last = hops.at(-1);
    if (last?.hop === stage.hop) last.stages.push(stage);
    else hops.push({ hop: stage.hop, stages: [stage] });
  }
  return hops;
}
