import { z } from 'zod';
import { type Route, route } from '../../http/route.ts';
import { PROBLEMS, Problem, type ProblemType } from '../../platform/problem.ts';
import { readTable } from '../../taxonomy/tables.ts';
import { createDocument, type Document, sendDocument } from '../document.ts';
import { escapeHtml } from '../escape-html.ts';

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; padding: 2rem 1.5rem; max-width: 44rem; font: 1rem/1.6 system-ui, sans-serif }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
code, pre { font: .9em ui-monospace, monospace } pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: .5rem }
.next { border-left: .25rem solid #0b7a5c; padding: .25rem 1rem; margin: 1.5rem 0; font-size: 1.1rem }
td { padding: .35rem 1.5rem .35rem 0; vertical-align: top }`;

/** These pages have no scripts and load nothing. */
export const STATIC_PAGE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

export const page = (title: string, body: string): Document =>
  createDocument(
    `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main>
${body}
</main></body></html>
`,
    'text/html; charset=utf-8',
  );

const CAUSES = readTable('api/problem-causes');

const TYPES = Object.keys(PROBLEMS).sort() as ProblemType[];

function retryAdvice(status: number): string {
  if (status === 429) return 'Yes, after the number of seconds in the Retry-After header.';
  if (status === 502) return 'Yes, a few times with exponential backoff.';
  if (status === 503) return 'Yes, after Retry-After, with exponential backoff.';
  if (status === 408 || status === 500) return 'Once; then report the request id to the operator.';
  return 'No: the same request gets the same response.';
}

function problemPage(type: ProblemType): Document {
  const { status, title, advice } = PROBLEMS[type];
  const example = { type, status, title, detail: '…', requestId: '…' };
  const causes = CAUSES.flatMap(([of, cause = '']) =>
    of === type ? `<li>${escapeHtml(cause)}</li>` : [],
  ).join('\n');
  return page(
    `${type}: ${title}`,
    `<p><a href="/problems">All problems</a></p>
<h1>${escapeHtml(title)}</h1>
<p><code>${type}</code>, HTTP ${status}</p>
<p class="next">${escapeHtml(advice)}</p>
<h2>Causes</h2>
<ul>
${causes}
</ul>
<h2>Retry automatically?</h2>
<p>${retryAdvice(status)}</p>
<h2>Example</h2>
<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>
<p>"detail" explains this occurrence, "errors" points to the fields. Log the type and the request id.</p>`,
  );
}

function listPage(): Document {
  const rows = TYPES.map(
    (type) =>
      `<tr><td>${PROBLEMS[type].status}</td><td><a href="/problems/${type}"><code>${type}</code></a></td><td>${escapeHtml(PROBLEMS[type].title)}</td></tr>`,
  );
  return page(
    'Problems',
    `<h1>Problems</h1>
<p>Every error response is a Problem Details object (RFC 9457) with one of these types.</p>
<table>${rows.join('\n')}</table>`,
  );
}

const PAGE: Route['responses'] = {
  200: {
    description: 'A page',
    content: { 'text/html': z.string() },
    headers: ['ETag', 'Cache-Control'],
  },
  304: { description: 'The client already has this version' },
};

/** The routes with a page for each problem type: `PROBLEM_BASE` may point to them. */
export function problemRoutes(): Route[] {
  const list = listPage();
  const pages = new Map<string | undefined, Document>(
    TYPES.map((type) => [type, problemPage(type)]),
  );
  return [
    route('listProblems', 'GET /problems', {
      scope: 'keyless',
      responses: PAGE,
      handle: (call) => sendDocument(call, list, STATIC_PAGE),
    }),
    route('getProblem', 'GET /problems/:type', {
      scope: 'keyless',
      responses: PAGE,
      handle(call) {
        const found = pages.get(call.params.type);
        if (found) return sendDocument(call, found, STATIC_PAGE);
        throw new Problem('not-found', 'There is no such problem type; see /problems');
      },
    }),
  ];
}
