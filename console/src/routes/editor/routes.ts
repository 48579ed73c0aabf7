import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { count, oneOf, searchOf, text } from '@/lib/search';
import { nsRoute } from '../root';
import { workflowSearch } from '../workflow/search';

export const editorModes = ['form', 'yaml', 'graph'] as const;

const editorPage = lazyRouteComponent(() => import('./EditorPage'), 'EditorPage');

export const newJobRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'jobs/new',
  validateSearch: searchOf((raw) => ({
    template: text(raw, 'template'),
    from: text(raw, 'from'),
    mode: oneOf(raw, 'mode', editorModes),
    ...workflowSearch(raw),
  })),
  component: editorPage,
});

export const editJobRoute = createRoute({
  getParentRoute: () => nsRoute,
  path: 'jobs/$job/edit',
  validateSearch: searchOf((raw) => ({
    mode: oneOf(raw, 'mode', editorModes),
    ...workflowSearch(raw),
    version: count(raw, 'version'),
  })),
  component: editorPage,
});

export const editorRoutes = [newJobRoute, editJobRoute] as const;
