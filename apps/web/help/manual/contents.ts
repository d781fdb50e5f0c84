/** A page of the manual: a file of the repository, and its name in `/help`. */
export interface ManualPage {
  readonly title: string;
  /** Path from the root of the repository. */
  readonly source: string;
  readonly file: string;
}

export interface ManualPart {
  readonly title: string;
  readonly pages: readonly ManualPage[];
}

const page = (title: string, name: string): ManualPage => ({
  title,
  source: `docs/${name}.md`,
  file: `${name}.html`,
});

/** The pages in the order in which the navigation shows them. */
export const CONTENTS: readonly ManualPart[] = [
  {
    title: 'Start',
    pages: [
      { title: 'Find a page', source: 'docs/README.md', file: 'index.html' },
      { title: 'Overview', source: 'README.md', file: 'overview.html' },
      page('Comparison', 'comparison'),
    ],
  },
  {
    title: 'Use',
    pages: [
      page('Servers and host keys', 'servers'),
      page('Terminals and recordings', 'terminals'),
      page('Files', 'files'),
      page('Accounts and access', 'accounts'),
      page('AI agent', 'agent'),
    ],
  },
  {
    title: 'Build on it',
    pages: [
      page('API', 'api'),
      page('Client', 'client'),
      page('Webhooks', 'webhooks'),
      page('Embedding', 'embedding'),
    ],
  },
  {
    title: 'Run',
    pages: [
      page('Deployment', 'deployment'),
      page('Configuration', 'configuration'),
      page('Operations', 'operations'),
      page('Scaling', 'scaling'),
      page('Edge and worker', 'edge'),
      page('Backup and restore', 'backup'),
      page('Audit log', 'audit'),
      page('Command line', 'command-line'),
    ],
  },
  {
    title: 'Judge',
    pages: [
      page('Security model', 'security-model'),
      page('Security measures', 'security'),
      page('Benchmarks', 'benchmarks'),
      page('Interoperability', 'interoperability'),
      { title: 'Report a vulnerability', source: 'SECURITY.md', file: 'report-a-vulnerability.html' },
    ],
  },
  {
    title: 'Project',
    pages: [
      { title: 'Changelog', source: 'CHANGELOG.md', file: 'changelog.html' },
      { title: 'Contributing', source: 'CONTRIBUTING.md', file: 'contributing.html' },
      { title: 'License', source: 'LICENSE', file: 'license.html' },
    ],
  },
];

export const PAGES: readonly ManualPage[] = CONTENTS.flatMap(({ pages }) => pages);
