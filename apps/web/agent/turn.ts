import type { AgentEvent, AgentMessage, AgentStep } from '#client/agent.ts';

/** An answer before anything of it has arrived. */
export function beginning(answer: AgentMessage): AgentMessage {
  return { ...answer, content: '', steps: [], state: 'running', error: null };
}

/** The question and the empty answer of a new turn. */
export function turnOf(
  { message, context = '' }: { readonly message: string; readonly context?: string | undefined },
  ids: { readonly question_id: number; readonly message_id: number },
  created_at: string,
): readonly [AgentMessage, AgentMessage] {
  const common = { steps: [], error: null, created_at };
  return [
    { ...common, id: ids.question_id, role: 'user', content: message, context, state: 'done' },
    { ...common, id: ids.message_id, role: 'assistant', content: '', context: '', state: 'running' },
  ];
}

/** An answer with one more event. */
export function applied(answer: AgentMessage, event: AgentEvent): AgentMessage {
  switch (event.name) {
    case 'text':
      return { ...answer, content: answer.content + event.data.delta };
    case 'tool_call':
      return {
        ...answer,
        steps: [...withoutStep(answer, event.data.id), { ...event.data, ok: null, summary: '' }],
      };
    case 'tool_result':
      return { ...answer, steps: answer.steps.map((step) => withResult(step, event.data)) };
    case 'error':
      return { ...answer, error: { ...event.data } };
    case 'done':
      return { ...answer, state: event.data.state };
    case 'turn':
    case 'usage':
      return answer;
  }
}

function withoutStep({ steps }: AgentMessage, id: string): AgentStep[] {
  return steps.filter((step) => step.id !== id);
}

function withResult(step: AgentStep, result: Pick<AgentStep, 'id' | 'ok' | 'summary'>): AgentStep {
  return step.id === result.id ? { ...step, ok: result.ok, summary: result.summary } : step;
}
