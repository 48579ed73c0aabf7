/** The mark: a mainspring, unwinding. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <path
        d="M16 16.600c.5-.9 1.900-.7 2.200.4.5 1.600-1.100 3-2.700 2.800-2.400-.3-3.700-2.900-2.900-5 1-2.900 4.400-4.200 7.100-2.900 3.400 1.600 4.600 5.700 2.900 8.900-2.100 3.900-7.100 5.300-10.900 3.100-4.400-2.500-5.900-8.200-3.300-12.500C11.300 6.200 18 4.300 23.300 6.900c3 1.500 5 4.300 5.700 7.400"
        stroke="currentColor"
        strokeWidth="2.300"
        strokeLinecap="round"
      />
      <circle cx="16.300" cy="17.300" r="1.700" fill="currentColor" />
    </svg>
  );
}
