import type { UseQueryResult } from '@tanstack/react-query';
import { Ban, CircleCheck, FilterX, type LucideIcon, PackageOpen, RotateCw, SearchX, TriangleAlert } from 'lucide-react';
import { type ReactNode, useContext } from 'react';
import { type ApiError, NOT_PROBLEM, asApiError } from '@/api/problem';
import { useT } from '@/i18n';
import { Button } from './Button';
import css from './Feedback.module.css';
import { InPage } from './inPage';

interface NoteProps {
  icon: LucideIcon;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

function Note({ icon: Icon, title, children, actions }: NoteProps) {
  const Heading = useContext(InPage) ? 'h2' : 'h1';
  return (
    <div className={css.note}>
      <Icon size={26} strokeWidth={1.3} aria-hidden="true" />
      <Heading>{title}</Heading>
      {children && <div className={css.text}>{children}</div>}
      {actions && <div className={css.actions}>{actions}</div>}
    </div>
  );
}

/** Nothing exists: says what it would be, and how to make one. */
export function NothingYet({ what, children, actions, icon = PackageOpen }: { what: string; children?: ReactNode; actions?: ReactNode; icon?: LucideIcon }) {
  const t = useT();
  return (
    <Note icon={icon} title={t.errors.emptyTitle(what)} actions={actions}>
      {children}
    </Note>
  );
}

/** Nothing is there, and that is good. */
export function AllWell({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Note icon={CircleCheck} title={title}>
      {children}
    </Note>
  );
}

/** Nothing matches what was asked for. */
export function NothingMatches({ onClear, children }: { onClear: () => void; children?: ReactNode }) {
  const t = useT();
  return (
    <Note
      icon={FilterX}
      title={t.errors.noMatchTitle}
      actions={
        <Button icon={FilterX} onClick={onClear}>
          {t.common.clearFilters}
        </Button>
      }
    >
      {children ?? t.errors.noMatchText}
    </Note>
  );
}

/** What went wrong, what to do, and the id by which the server's log knows it. */
export function Failure({ error, what, onRetry, missing }: { error: unknown; what: string; onRetry?: () => void; missing?: ReactNode }) {
  const t = useT();
  const problem = asApiError(error);
  if (problem.isForbidden) {
    return (
      <Note icon={Ban} title={t.errors.forbiddenTitle}>
        {problem.message ? t.said.say(problem.code, problem.message) : t.errors.forbiddenText} <RequestId problem={problem} />
      </Note>
    );
  }
  if (problem.isMissing && problem.code !== NOT_PROBLEM) {
    return (
      <Note icon={SearchX} title={t.errors.missingTitle(what)} actions={missing}>
        {t.said.say(problem.code, problem.message)}
        {t.common.stop}
        {problem.hint ? t.said.hint(problem.hint) : t.errors.missingText} <RequestId problem={problem} />
      </Note>
    );
  }
  return (
    <Note
      icon={TriangleAlert}
      title={t.errors.loading(what)}
      actions={
        onRetry && (
          <Button icon={RotateCw} onClick={onRetry}>
            {t.common.retry}
          </Button>
        )
      }
    >
      {t.said.say(problem.code, problem.message)}
      {problem.hint && (
        <>
          {t.common.stop}
          {t.said.hint(problem.hint)}
        </>
      )} <RequestId problem={problem} />
    </Note>
  );
}

function RequestId({ problem }: { problem: ApiError }) {
  const t = useT();
  if (!problem.requestId) return null;
  return (
    <span className={css.request}>
      {t.common.requestId} <code>{problem.requestId}</code>
    </span>
  );
}

/** A thin line above data that could not be renewed. */
export function StaleNote({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useT();
  const problem = asApiError(error);
  return (
    <div className={css.stale} role="status">
      <TriangleAlert size={14} aria-hidden="true" />
      <span>
        {t.errors.staleData} {t.said.say(problem.code, problem.message)} <RequestId problem={problem} />
      </span>
      <Button size="s" icon={RotateCw} onClick={onRetry}>
        {t.common.retry}
      </Button>
    </div>
  );
}

/** Shows the data of a query; what came before stays, dimmed, when it cannot be renewed. */
export function Loaded<T>({ query, what, skeleton, children, missing }: { query: UseQueryResult<T>; what: string; skeleton?: ReactNode; children: (data: T) => ReactNode; missing?: ReactNode }) {
  const retry = () => void query.refetch();
  if (query.data !== undefined) {
    if (!query.error) return <>{children(query.data)}</>;
    return (
      <>
        <StaleNote error={query.error} onRetry={retry} />
        <div className={css.dimmed}>{children(query.data)}</div>
      </>
    );
  }
  if (query.error) return <Failure error={query.error} what={what} onRetry={retry} missing={missing} />;
  return <>{skeleton ?? <Skeleton />}</>;
}

/** Grey bars of the final size, while data is on its way. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const t = useT();
  return (
    <div className={css.skeleton} role="status" aria-label={t.common.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} data-width={index % 4} />
      ))}
    </div>
  );
}
