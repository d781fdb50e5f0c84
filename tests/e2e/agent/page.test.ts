import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chooseProvider } from '../../support/agent/asking.ts';
import {
  LOCAL_MODELS,
  type ModelCall,
  type ModelServer,
  startModelServer,
} from '../../support/agent/model-server.ts';
import {
  keepPictures,
  terminalText,
  untilFocused,
  untilTyped,
  useVisits,
} from '../../support/browser/pages.ts';
import { openFilesOn, openTerminalOn } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy, type TcpProxy } from '../../support/hosts/tcp.ts';

const SOON = { timeout: 60_000 };
const visits = useVisits();
let gateway: TestGateway;
let models: ModelServer;
let sshd: Sshd;
/** The network between page and gateway, which a test cuts. */
let network: TcpProxy;
let server_id: number;

beforeAll(async () => {
  sshd = await startSshd();
  models = await startModelServer();
  gateway = await startGateway({ env: LOCAL_MODELS });
  network = await startProxy(Number(new URL(gateway.url).port));
  server_id = (await addHost(gateway, { name: 'harbor', sshd, group: 'port' })).id;
});
afterAll(async () => {
  await network?.stop();
  await gateway?.close();
  await models?.stop();
  await sshd?.stop();
});

beforeEach(() => models.reset());

const panel = (page: Page): Locator => page.getByRole('region', { name: 'AI agent for harbor' });
const box = (page: Page): Locator => panel(page).getByLabel('Question for the agent');

async function openTerminal(token = gateway.admin.token): Promise<Page> {
  const page = await visits.enter(`http://127.0.0.1:${network.port}`, token);
  await openTerminalOn(page, 'harbor');
  await page.getByText('Connected', { exact: true }).waitFor();
  return page;
}

/** Beside a terminal, with no chat so far. */
async function openPanel(): Promise<Page> {
  await gateway.admin.call('DELETE', `/api/agent/chat/${server_id}`);
  const page = await openTerminal();
  await page.getByRole('button', { name: 'Agent', exact: true }).click();
  await untilFocused(box(page));
  return page;
}

async function ask(page: Page, question: string): Promise<void> {
  await box(page).fill(question);
  await box(page).press('Enter');
}

/** What the model was given last, as text. */
const given = ({ body }: ModelCall): string => JSON.stringify(body.messages.at(-1)?.content);

describe('The agent, before it answers', () => {
  it('says that it is off and who can switch it on, and is switched on', async () => {
    const user = await gateway.user({ username: 'mallory', allowed_groups: ['port'] });
    const theirs = await openTerminal(user.token);
    await theirs.getByRole('button', { name: 'Agent', exact: true }).click();
    await panel(theirs).getByText('no provider is chosen. Ask an administrator.').waitFor();
    await theirs.close();

    const page = await openTerminal();
    await page.getByRole('button', { name: 'Agent', exact: true }).click();
    await panel(page).getByRole('button', { name: 'Set up the agent' }).click();
    await page.getByRole('heading', { name: 'AI agent' }).waitFor();
    await chooseProvider(gateway, models);
    await page.reload();
    await page.getByRole('button', { name: 'Back to workspace' }).click();
    await panel(page).getByText('The AI agent is off for harbor.').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await panel(page).getByRole('button', { name: 'Edit harbor' }).click();
    await page.getByRole('dialog').getByText('AI agent', { exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await panel(page).getByText('Ask about harbor').waitFor();
  });
});

describe('The agent', () => {
  beforeAll(async () => {
    await chooseProvider(gateway, models);
    await gateway.admin.call('PUT', `/api/servers/${server_id}`, { agent_enabled: true });
  });

  it('finds what fills the disk, shows its steps, and puts a command at the prompt without running it', async () => {
    const full = join(sshd.folder, 'spool');
    await mkdir(full);
    await writeFile(join(full, 'queue'), Buffer.alloc(3_000_000));
    models.script({ calls: [{ tool: 'directory_sizes', arguments: { path: sshd.folder } }] }, (call) => ({
      says: [
        given(call).includes('spool') ? `**${full}** takes ` : 'Nothing takes ',
        'most of it.\n\n```sh\necho $((40 + 2))-ran\n```\n\n```sh\necho a\necho b\n```\n',
      ],
    }));
    const page = await openPanel();
    await ask(page, 'Why is the disk full?');
    await panel(page).getByText(`${full} takes most of it.`).waitFor();
    await panel(page).getByText('Tokens: 20 in, 10 out').waitFor();
    await keepPictures(page, 'agent');
    await panel(page).getByText('directory_sizes').click();
    await panel(page).getByText(`"path": "${sshd.folder}"`).waitFor();
    expect(await visits.accessibility()).toEqual([]);

    const [first, second] = [
      panel(page).getByRole('button', { name: 'Insert at prompt' }).nth(0),
      panel(page).getByRole('button', { name: 'Insert at prompt' }).nth(1),
    ];
    await first.click();
    await untilTyped(page, /echo \$\(\(40 \+ 2\)\)-ran/);
    await page.keyboard.type('-typed');
    await untilTyped(page, /-ran-typed/);
    expect(await terminalText(page)).not.toContain('42-ran');
    await page.keyboard.press('Enter');
    await untilTyped(page, /42-ran-typed/);

    await second.click();
    const question = page.getByRole('alertdialog');
    await question.getByText('echo b').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await terminalText(page)).not.toContain('echo b');
  });

  it('gets what is attached, and explains an error of the connection', async () => {
    await addHost(gateway, { name: 'wreck', sshd, password: 'wrong', agent_enabled: true });
    models.always({ says: ['I see.'] });
    const page = await openPanel();
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.type('echo $((6 * 7))-shown\n');
    await untilTyped(page, /42-shown/);
    await panel(page).getByRole('button', { name: 'Attach last screen' }).click();
    await panel(page).getByText('Terminal screen').waitFor();
    await page.locator('.panel:not([hidden]) .terminal-host').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Select all' }).click();
    await panel(page).getByRole('button', { name: 'Attach selection' }).click();
    await ask(page, 'What is this?');
    await panel(page).getByText('I see.').waitFor();
    const [call] = await models.hears(1);
    expect(call && given(call)).toMatch(/Terminal screen:.*42-shown.*Terminal selection:.*42/s);
    expect(await panel(page).getByRole('list', { name: 'Attached to the question' }).count()).toBe(0);

    await openTerminalOn(page, 'wreck');
    await page.getByRole('button', { name: 'Explain' }).click();
    const other = page.getByRole('region', { name: 'AI agent for wreck' });
    await untilFocused(other.getByLabel('Question for the agent'));
    await other.getByRole('button', { name: 'Remove: Connection error' }).waitFor();
    await other.getByRole('button', { name: 'Send' }).click();
    const [, explained] = await models.hears(2);
    expect(explained && given(explained)).toMatch(/Connection error:.*authentication/is);
  });

  it('is shown whole after a reload and after a lost connection, and is asked once', async () => {
    let release = () => undefined as unknown;
    const held = new Promise((resolve) => {
      release = () => resolve(undefined);
    });
    models.script({ says: ['Half of it. ', held, 'The rest.'] });
    const page = await openPanel();
    await ask(page, 'What is it?');
    await panel(page).getByText('Half of it.').waitFor();
    await page.reload();
    await panel(page).getByText('Half of it.').waitFor();
    network.cut();
    release();
    await panel(page).getByText('Half of it. The rest.').waitFor();
    await panel(page).getByRole('status').filter({ hasText: 'The answer is complete.' }).waitFor();
    expect(models.requests).toHaveLength(1);

    await page.reload();
    await panel(page).getByText('Half of it. The rest.').waitFor();
    await panel(page).getByRole('button', { name: 'Delete chat' }).click();
    await page.keyboard.press('Escape'); // closes the question alone
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await panel(page).getByRole('button', { name: 'Delete chat' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete chat' }).click();
    await panel(page).getByText('Ask about harbor').waitFor();
  });

  it('can be cancelled, fails in plain words, and keeps a question that was refused', async () => {
    models.script(
      { says: ['So far.'], ending: 'stall' },
      { status: 500, body: '{"error":{"message":"No room"}}' },
    );
    const page = await openPanel();
    await ask(page, 'A long story?');
    await panel(page).getByText('So far.').waitFor();
    await box(page).fill('Next?');
    await panel(page).getByRole('button', { name: 'Cancel' }).click();
    await panel(page).getByText('The answer was cancelled.').first().waitFor();
    await models.idle();
    await panel(page).getByText('So far.').waitFor();
    models.always({ status: 500, body: '{"error":{"message":"No room"}}' });
    await box(page).press('Enter');
    await panel(page)
      .getByText(/No room|HTTP 500/)
      .first()
      .waitFor();
    await gateway.admin.call('PUT', `/api/servers/${server_id}`, { agent_enabled: false });
    await ask(page, 'Still there?');
    await panel(page).getByText('Could not send the question').waitFor();
    expect(await box(page).inputValue()).toBe('Still there?');
    await gateway.admin.call('PUT', `/api/servers/${server_id}`, { agent_enabled: true });
  });

  it('shows hostile output as text: nothing is fetched, nothing runs, and a link names its host', async () => {
    const hostile = [
      '![plan](https://evil.example/leak.png) <img src="https://evil.example/x" onerror="document.title=1">',
      '<iframe src="https://evil.example"></iframe><form action="https://evil.example"><input></form>',
      '<svg onload="document.title=1"></svg><script>document.title=1</script><style>*{display:none}</style>',
      '[harmless](javascript:document.title=1) [manual](https://evil.example/page) [own](#/admin/users)',
      '```sh\nls\u001b[201~\u0003\r\n```',
    ].join('\n\n');
    models.script(
      { calls: [{ tool: '<img src=x onerror=1>', arguments: { path: '<img src=x>' } }] },
      { says: [hostile] },
    );
    const page = await openPanel();
    const title = await page.title();
    await ask(page, 'Well?');
    await panel(page).getByText('harmless').waitFor();
    const answer = page.locator('.agent-answer');
    expect(
      await answer.locator('img, iframe, form, input, svg:not(.agent-code-tools svg), script, style').count(),
    ).toBe(0);
    const links = await answer.locator('a').evaluateAll((all) => all.map((link) => link.outerHTML));
    expect(links).toContain(
      '<a href="https://evil.example/page" target="_blank" rel="noopener noreferrer">manual <bdi>(evil.example)</bdi></a>',
    );
    expect(
      links.filter((link) => !/^<a href="https:[^"]*" target="_blank" rel="noopener noreferrer">/.test(link)),
    ).toEqual([]);
    expect(await page.title()).toBe(title);
    await panel(page).getByRole('button', { name: 'Insert at prompt' }).click();
    await untilTyped(page, /ls\[201~ ?$/m);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('is a sheet on a phone, opens from the palette, and gives the focus back', async () => {
    models.always({ says: ['Yes.\n\n| a | b |\n|-|-|\n| 1 | 2 |\n\n```sh\ndf -h\n```'] });
    await gateway.admin.call('DELETE', `/api/agent/chat/${server_id}`);
    const page = await openTerminal();
    await page.keyboard.press('Control+Shift+P');
    await page.getByRole('dialog').getByRole('combobox').fill('Ask the agent');
    await page.keyboard.press('Enter');
    await untilFocused(box(page));
    await box(page).press('Shift+Enter');
    expect(await box(page).inputValue()).toBe('\n');
    await ask(page, 'Is it well?');
    await panel(page).getByText('Yes.').waitFor();
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      for (const width of [360, 390]) {
        await page.setViewportSize({ width, height: 780 });
        await expect.poll(async () => (await panel(page).boundingBox())?.width).toBe(width);
        expect((await panel(page).boundingBox())?.height).toBeGreaterThan(600);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
      expect(await visits.accessibility()).toEqual([]);
    }
    await panel(page).getByRole('button', { name: 'Insert at prompt' }).click(); // the sheet makes room for the terminal
    await panel(page).waitFor({ state: 'detached' });
    await untilTyped(page, /df -h/);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Agent', exact: true }).click();
    await box(page).press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await untilFocused(page.locator('.panel:not([hidden]) .xterm-helper-textarea'));
    await openFilesOn(page, 'harbor');
    await page.getByRole('button', { name: 'Ask the agent' }).click();
    await untilFocused(box(page).last());
    await panel(page).last().getByText('Yes.').waitFor();
    expect(await panel(page).last().getByRole('button', { name: 'Insert at prompt' }).count()).toBe(0);
    await expect.poll(() => panel(page).count(), SOON).toBe(1);
  });
});
