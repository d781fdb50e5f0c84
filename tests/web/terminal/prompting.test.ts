import { describe, expect, it } from 'vitest';
import { endsLikePrompt } from '../../../apps/web/terminal/pane/prompting.ts';

describe('A line before the cursor', () => {
  it.each([
    'deploy@web-01:~$ ',
    '/ # ',
    'host% ',
    'switch1>',
    'router(config)#',
    'C:\\Users\\me>',
    '❯ ',
    '~ ➜ ',
  ])('is taken for a prompt: %j', (line) => {
    expect(endsLikePrompt(line)).toBe(true);
  });

  it.each([
    'Password: ',
    'Continue? [y/N] ',
    'Select a session [1-3]:',
    'Passcode or option (1-1): ',
    'Loading…',
  ])('is taken for a question: %j', (line) => {
    expect(endsLikePrompt(line)).toBe(false);
  });
});
