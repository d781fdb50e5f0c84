import { readFileSync } from 'node:fs';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { repositoryLinks } from './repository-links.ts';

const icon = readFileSync(new URL('../../apps/web/favicon.svg', import.meta.url), 'utf8');

const icon_url = `data:image/svg+xml,${encodeURIComponent(icon)}`;

const page = (text: string, name: string): DefaultTheme.SidebarItem => ({ text, link: `/docs/${name}` });

/** `npm run docs`: builds the pages that GitHub shows into `dist/docs`. A dead link fails the build. */
export default defineConfig({
  title: 'Sallyport',
  description: 'Self-hosted web SSH and SFTP gateway',
  head: [['link', { rel: 'icon', href: icon_url }]],
  // Pages keep their paths, so that their relative links are right here and on GitHub.
  srcDir: '..',
  srcExclude: ['!(docs)/**/*'],
  rewrites: { 'README.md': 'index.md', 'docs/README.md': 'docs/index.md' },
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: false,
  markdown: { config: (markdown) => void markdown.use(repositoryLinks) },
  vite: { configFile: false, build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    logo: icon_url,
    notFound: {
      title: 'Page not found',
      quote: 'There is no page at this address. The search may find what you are looking for.',
      linkText: 'Go to the overview',
      linkLabel: 'Go to the overview',
    },
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [{ text: 'Overview', link: '/' }, page('Find a page', ''), page('Comparison', 'comparison')],
      },
      {
        text: 'Use',
        items: [
          page('Servers and host keys', 'servers'),
          page('Terminals and recordings', 'terminals'),
          page('Files', 'files'),
          page('Accounts and access', 'accounts'),
          page('AI agent', 'agent'),
        ],
      },
      {
        text: 'Build on it',
        items: [
          page('API', 'api'),
          page('Client', 'client'),
          page('Webhooks', 'webhooks'),
          page('Embedding', 'embedding'),
        ],
      },
      {
        text: 'Run',
        items: [
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
        text: 'Judge',
        items: [
          page('Security model', 'security-model'),
          page('Security measures', 'security'),
          page('Benchmarks', 'benchmarks'),
          page('Interoperability', 'interoperability'),
          { text: 'Report a vulnerability', link: '/SECURITY' },
        ],
      },
      {
        text: 'Project',
        items: [
          { text: 'Changelog', link: '/CHANGELOG' },
          { text: 'Contributing', link: '/CONTRIBUTING' },
        ],
      },
    ],
  },
});
