import { queryOptions, useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleDashed, CircleHelp, CircleX, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { api, ask } from '@/api/client';
import type { components } from '@/api/schema';
import { CopyMore } from '@/components/ActionBar';
import { Button } from '@/components/Button';
import { Loaded, Skeleton } from '@/components/Feedback';
import { Panel } from '@/components/Page';
import { Prose } from '@/components/Prose';
import { NodeLink, WorkerLink } from '@/components/WorkerLink';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import type { Job } from './queries';
import css from './Match.module.css';

type Taker = components['schemas']['Taker'];

const matchQuery = (ns: string, job: string) =>
  queryOptions({
    queryKey: ['match', ns, job],
    queryFn: ({ signal }) => ask(api.GET('/api/v1/namespaces/{namespace}/jobs/{job}/match', { params: { path: { namespace: ns, job } }, signal })),
    meta: { topics: ['workers', 'queues', `job:${ns}/${job}`], every: 2000 },
  });

const glyphs: Record<Taker['fit'], LucideIcon> = { now: CircleCheck, later: CircleDashed, no: CircleX, unknown: CircleHelp };

/** Who could execute the next run of a job now, and why each of the others could not. Asked for by a press. */
export function MatchPanel({ job }: { job: Job }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const path = { namespace: job.namespace, job: job.name };
  return (
    <Panel
      title={t.match.title}
      aside={
        <span className={css.aside}>
          <Button size="s" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t.match.hide : t.match.show}
          </Button>
          <CopyMore
            of={t.match.title}
            command={{ cli: ['worker', 'match', job.name, ...(job.namespace === 'default' ? [] : ['--namespace', job.namespace])], http: { method: 'GET', path: fillPath('/api/v1/namespaces/{namespace}/jobs/{job}/match', path) } }}
          />
        </span>
      }
    >
      {isOpen ? <Takers job={job} /> : <p className={css.quiet}>{t.match.text}</p>}
    </Panel>
  );
}

function Takers({ job }: { job: Job }) {
  const t = useT();
  const formats = useFormats();
  const query = useQuery(matchQuery(job.namespace, job.name));
  return (
    <Loaded query={query} what={t.match.title} skeleton={<Skeleton lines={3} />}>
      {({ takers, held_by = [] }) => (
        <>
          {held_by.map((reason) => (
            <p key={`${reason.code} ${reason.message}`} className={css.held} role="status">
              <Prose text={t.said.say(reason.code, reason.message)} />
              {reason.hint && <span className={css.quiet}> {t.said.hint(reason.hint)}</span>}
            </p>
          ))}
          <p className={css.quiet}>{t.match.count(formats.number(takers.filter(({ fit }) => fit === 'now').length), formats.number(takers.length))}</p>
          <ul className={css.takers} aria-label={t.match.title}>
            {takers.map((taker) => {
              const Glyph = glyphs[taker.fit] ?? CircleHelp;
              return (
                <li key={`${taker.kind} ${taker.id}`}>
                  <span className={css.fit} data-fit={taker.fit}>
                    <Glyph size={14} aria-hidden="true" /> {t.match.fits[taker.fit] ?? t.match.fits.unknown}
                  </span>
                  <span className={css.name}>
                    {taker.kind === 'worker' ? <WorkerLink ns={job.namespace} name={taker.name} /> : <NodeLink name={taker.name} />}{' '}
                    <span className={css.quiet}>
                      {taker.kind === 'worker' ? t.match.worker : t.match.server}
                      {taker.slots != null && ` · ${t.queues.running_of(formats.number(taker.running ?? 0), formats.number(taker.slots))}`}
                    </span>
                  </span>
                  <span className={css.why}>
                    {(taker.reasons ?? []).map((reason) => (
                      <Prose key={reason.code} text={t.said.say(reason.code, reason.message)} />
                    ))}
                  </span>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Loaded>
  );
}
