import { describe, expect, it } from 'vitest';
import type { GatewayFrame } from '#api/contract/terminals/frames.ts';
import { createQuestions } from '#api/routes/terminals/questions.ts';

const QUESTION = {
  name: 'box',
  instructions: '',
  is_ours: false,
  prompts: [
    { text: 'Username', echo: true },
    { text: 'Password', echo: false },
  ],
};
const open = () => new AbortController().signal;

function setUp() {
  const sent: GatewayFrame[] = [];
  return { sent, questions: createQuestions((frame) => sent.push(frame)) };
}

describe('A prompt from a host to the person at the terminal', () => {
  it('is sent as a prompt frame and answered once', async () => {
    const { sent, questions } = setUp();
    const answered = questions.ask(QUESTION, open());
    const { is_ours: _, ...shown } = QUESTION;
    expect(sent).toEqual([{ type: 'prompt', ...shown }]);
    expect(questions.answer(['ann', 'secret'])).toBe(true);
    expect(await answered).toEqual(['ann', 'secret']);
  });

  it('refuses a wrong number of answers and keeps waiting', async () => {
    const { questions } = setUp();
    const answered = questions.ask(QUESTION, open());
    expect(questions.answer(['ann'])).toBe(false);
    expect(questions.answer(['ann', 'secret'])).toBe(true);
    await answered;
  });

  it('ignores an answer that nothing waits for', () => {
    expect(setUp().questions.answer(['anything'])).toBe(true);
  });

  it('is withdrawn when the host has disconnected', async () => {
    const { questions } = setUp();
    const gone = new AbortController();
    const answered = questions.ask(QUESTION, gone.signal);
    gone.abort(new Error('gone'));
    await expect(answered).rejects.toThrow('gone');
    expect(questions.answer(['too late'])).toBe(true);
  });

  it('is not sent when the host has already disconnected', async () => {
    const { sent, questions } = setUp();
    await expect(questions.ask(QUESTION, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(sent).toEqual([]);
  });
});
