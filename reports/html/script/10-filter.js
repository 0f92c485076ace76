// Filters of the requirements. What is chosen is in the address, so that it can be shared: #q=words&verdict=fail, or #SURGE-007 for one requirement.
(() => {
  const form = document.getElementById('filters');
  if (!form) return;
  const fields = ['q', 'family', 'level', 'feature', 'verdict'];
  const rows = [...document.querySelectorAll('.row')].map(row => ({
    row, text: [row.querySelector('summary'), row.querySelector('.statement'), row.querySelector('.facts')].map(part => part.textContent).join(' ').toLowerCase(),
  }));

  function apply() {
    const words = form.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text } of rows) {
      const fits = fields.slice(1).every(name => !form[name].value || row.dataset[name] === form[name].value) && words.every(word => text.includes(word));
      row.hidden = !fits;
      if (fits) shown++;
    }
    document.getElementById('shown').textContent = `${shown} of ${rows.length}`;
    document.getElementById('nothing').hidden = shown > 0;
  }

  function remember() {
    const chosen = new URLSearchParams();
    for (const name of fields) if (form[name].value) chosen.set(name, form[name].value);
    history.replaceState(null, '', '#' + (chosen.size ? chosen : 'requirements'));
  }

  function reset() {
    for (const name of fields) form[name].value = '';
  }

  function follow() {
    const hash = decodeURIComponent(location.hash.slice(1));
    const target = hash && document.getElementById(hash);
    if (target) {
      if (target.hidden) { reset(); apply(); }
      if (target.tagName === 'DETAILS') { target.open = true; target.querySelector('summary').focus({ preventScroll: true }); }
      target.scrollIntoView();
    } else if (hash.includes('=')) {
      const chosen = new URLSearchParams(location.hash.slice(1));
      for (const name of fields) form[name].value = chosen.get(name) ?? '';
      apply();
      document.getElementById('requirements').scrollIntoView();
    }
  }

  form.addEventListener('input', () => { apply(); remember(); });
  form.addEventListener('submit', event => event.preventDefault());
  for (const button of document.querySelectorAll('[data-reset]')) {
    button.addEventListener('click', event => { event.preventDefault(); reset(); apply(); remember(); form.q.focus(); });
  }
  document.addEventListener('keydown', event => {
    if (event.key === '/' && !event.ctrlKey && !event.metaKey && !/INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) {
      event.preventDefault();
      form.q.focus();
    } else if (event.key === 'Escape' && event.target === form.q) {
      reset(); apply(); remember();
    }
  });
  // A link to where the reader already is changes no address.
  document.addEventListener('click', event => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) { event.preventDefault(); follow(); }
  });
  addEventListener('hashchange', follow);
  apply();
  follow();
})();
