import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../../support/root.ts';

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

const Panel = z.looseObject({
  id: z.number(),
  type: z.string(),
  title: z.string().min(1),
  datasource: z.object({ uid: z.string() }).optional(),
  targets: z
    .array(z.object({ expr: z.string(), datasource: z.object({ uid: z.string() }) }))
    .optional(),
  fieldConfig: z.object({ defaults: z.looseObject({ unit: z.string().optional() }) }).optional(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
});
export type Panel = z.infer<typeof Panel>;

const Dashboard = z.looseObject({
  title: z.string(),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  panels: z.array(Panel),
});

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Selvage[A-Za-z]+$/),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({
            summary: z.string().min(10),
            runbook_url: z.string().regex(/^docs\/runbook\/[a-z-]+\.md$/),
          }),
        }),
      ),
    }),
  ),
});

const Scale = z.looseObject({
  spec: z.looseObject({
    triggers: z.array(z.object({ metadata: z.looseObject({ query: z.string() }) })),
  }),
});

export const dashboard = Dashboard.parse(JSON.parse(read('infra', 'grafana', 'selvage.json')));
export const alerts = Rules.parse(parse(read('infra', 'prometheus', 'alerts.yml'))).groups.flatMap(
  ({ rules }) => rules,
);
export const runbookPages = readdirSync(join(ROOT, 'docs', 'runbook')).filter((name) =>
  name.endsWith('.md'),
);
export const runbookPage = (name: string): string => read('docs', 'runbook', name);
const scale = Scale.parse(parse(read('infra', 'kubernetes', 'overlays', 'keda', 'scale.yaml')));

/** Every PromQL expression, with the name of its user. */
export const expressions: readonly [asker: string, expr: string][] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [`panel ${title}`, expr]),
  ),
  ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...scale.spec.triggers.map(({ metadata }): [string, string] => ['KEDA', metadata.query]),
];

/** Returns what an expression selects: `[metric, labels]`. Throws if it is not PromQL. */
export function askedFor(expr: string): [metric: string, labels: string[]][] {
  const text = expr.replaceAll('$__rate_interval', '5m');
  const asked: [string, string[]][] = [];
  parser.parse(text).iterate({
    enter({ name, type, node, from }) {
      if (type.isError) throw new Error(`No PromQL at ${from}: ${text}`);
      if (name !== 'VectorSelector') return;
      const metric = node.getChild('Identifier');
      if (!metric) throw new Error(`No metric's name: ${text}`);
      const labels = [
        ...(node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []),
      ]
        .flatMap((matcher) => matcher.getChildren('LabelName'))
        .map((label) => text.slice(label.from, label.to));
      asked.push([text.slice(metric.from, metric.to), labels]);
    },
  });
  return asked;
}

/** Returns the labels an expression groups and matches by. */
export function groupedBy(expr: string): string[] {
  const text = expr.replaceAll('$__rate_interval', '5m');
  const labels: string[] = [];
  parser.parse(text).iterate({
    enter({ name, node }) {
      if (name !== 'GroupingLabels') return;
      for (const label of node.getChildren('LabelName')) {
        labels.push(text.slice(label.from, label.to));
      }
    },
  });
  return labels;
}

/** Returns the names of the series in a metrics page, including those without samples, with their labels. */
export function exposed(pages: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = '', type] of pages.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const suffix of suffixes) found.set(name + suffix, new Set(found.get(name + suffix)));
  }
  for (const [, name = '', labels = ''] of pages.matchAll(/^(\w+)\{(.*)\} /gm)) {
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) found.get(name)?.add(label);
  }
  return found;
}
