//! The words by which authors name the parts of a page, and the automaton that finds them.
//!
//! One pass over a class or id finds all words in it (Aho and Corasick), over letters and limits of
//! words; `relatedPosts`, `related-posts` and `related_posts` are the same two words.

use std::collections::VecDeque;
use std::sync::OnceLock;

use super::hint::Hints;

/// Words by what they mean; `_` is the limit of a word, where there is none the word may go on.
const WORDS: [(Hints, &str); 13] = [
    (
        Hints::HIDDEN,
        "_visually_hidden_ _screen_reader_ _screenreader_ _sr_only_ _visuallyhidden_ \
         _element_invisible_ _print_only_ _u_hidden_",
    ),
    (
        Hints::NAVIGATION,
        "_nav_ navbar navigation _menu_ breadcrumb bread_crumb pagination _pager_ _paging_ \
         _page_links_ _toc_ _subnav_ _skip_link _prev_next _next_prev _post_nav _jump_ _link_list_ \
         sitemap",
    ),
    (
        Hints::FRAME,
        "masthead sidebar _side_bar_ _side_column_ _rail_ _banner_ modal popup pop_up_ _overlay_ _lightbox toolbar _tool_bar_ _tools_ _utility_ \
         _widget_ _widgets_ _search_ _site_header_ _global_header_ \
         _page_header_ _topbar_ _top_bar_ _bottom_bar_ _tooltip_ _alert_ _notification _ticker_ \
         _print_link _login_ _aside_ _adblock _no_js_ _noscript_ _browser_upgrade_ _rating_ \
         _ratings_ _poll_ _quiz_ _skip_to_ _secondary_ _accessib _backtotop_ _back_to_top_ \
         _feedback_ _report_abuse_ _correction_",
    ),
    (
        Hints::FRAME.with(Hints::NOTICE),
        "footer cookie consent _gdpr privacy copyright _legal_ _disclaimer_ _wm_ipp",
    ),
    (
        Hints::SHARE,
        "_share sharing _social addthis addtoany _follow_ sociable _whatsapp_ _pinterest_ _shariff",
    ),
    (
        Hints::RELATED,
        "related recommend _recirc _trending _most_read _most_popular mostpopular mostread \
         _popular_ _read_more readmore _read_next _up_next_ _more_from _more_stories _more_on_ \
         _more_news _see_also seealso _also_read _also_like _you_may _you_might _further_reading_ \
         _suggested _similar_ _other_news _othernews _other_stories _latest _next_article \
         _next_post _next_story _in_this_ _dont_miss _don_t_miss _top_stories _teaser _promo \
         promoted _more_articles _inline_story_ _onward_ crosslink _cross_link _linkbox _link_box_ \
         _listing_ carousel _slider_ _crp_ yarpp _zergnet _article_list _headlines_ _rich_link \
         _read_also _internal_link _interlink _card_list_ _in_article_link _interstitial_link",
    ),
    (
        Hints::COMMENT,
        "commentlist _comment disqus _respond_ _replies_ _discussion_ _talkback _viafoura _livefyre",
    ),
    (
        Hints::ADVERT,
        "_ad_ _ads_ advert _adsense _sponsor sponsored _dfp_ outbrain taboola _adslot _adcontainer \
         _adbox_ _commercial _affiliate _mpu_ _gpt_ _revcontent _merchandis _shopping_ _donate_ \
         _donation _partner_",
    ),
    (
        Hints::CAPTION,
        "caption _credit_ _credits_ _photo_credit _image_credit _image_source_ _img_desc \
         _media_desc _photo_info_ _image_meta_",
    ),
    (
        Hints::BYLINE,
        "byline _by_line_ _author_ _authors_ dateline timestamp _time_stamp _publish_date _pubdate_ \
         _published_ _posted_on_ _article_info_ _article_infos_ _meta_ _postmeta_ _postmetadata_ \
         _post_info_ _date_ _bio_ _writer_ _contributor _article_header_ _entry_header_ \
         _reading_time_ _read_time_ _infoline_ _datum_ _metadata_ _article_author _user_info_ \
         _user_profile_ _avatar_ _kicker_ _eyebrow_ _story_meta _post_header_",
    ),
    (
        Hints::TAGS,
        "_tags_ _taglist_ _tag_list_ _tagcloud_ _tag_cloud_ _topics_ _categories_ _category_list_ \
         _keywords_ _filed_under_ _cat_links_ _tag_links_ _tagged_ _labels_ _article_topics",
    ),
    (
        Hints::BODY,
        "articlebody article_body entry_content entrycontent post_content postcontent post_body \
         postbody story_body storybody article_content articlecontent article_text articletext \
         story_content storycontent story_text storytext post_text post_entry _body_text_ bodytext \
         body_copy bodycopy article_main_body _rich_text_ _richtext_ news_content newscontent \
         _text_content_ news_text newstext content_body _copy_paste_ _article_copy_ _article_rich_ \
         _articlepage_content_",
    ),
    (
        Hints::SIGN_UP,
        "newsletter subscri _signup _sign_up _paywall _register_ _registration _optin _opt_in_ \
         _mailchimp _mc_embed _email_form _call_to_action _cta_ _inline_form_ _piano_ _regwall \
         _membership",
    ),
];

/// What the words in a class or id say.
pub fn hints_in(names: &str) -> Hints {
    static AUTOMATON: OnceLock<Automaton> = OnceLock::new();
    AUTOMATON.get_or_init(Automaton::new).search(names)
}

/// Letters and the limit of a word.
const SYMBOLS: usize = 27;
const LIMIT: usize = 0;

struct Automaton {
    next: Vec<[u16; SYMBOLS]>,
    found: Vec<Hints>,
}

fn symbol(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => (byte - b'a') as usize + 1,
        b'A'..=b'Z' => (byte - b'A') as usize + 1,
        _ => LIMIT,
    }
}

impl Automaton {
    fn new() -> Self {
        const NONE: u16 = u16::MAX;
        let mut next = vec![[NONE; SYMBOLS]];
        let mut found = vec![Hints::default()];
        for (hints, words) in WORDS {
            for word in words.split_ascii_whitespace() {
                let mut state = 0;
                for byte in word.bytes() {
                    let symbol = symbol(byte);
                    if next[state][symbol] == NONE {
                        next[state][symbol] = next.len() as u16;
                        next.push([NONE; SYMBOLS]);
                        found.push(Hints::default());
                    }
                    state = next[state][symbol] as usize;
                }
                found[state] = found[state].with(hints);
            }
        }
        // Breadth first, so that the shorter suffix of a state is done before the state.
        let mut suffix = vec![0; next.len()];
        let mut queue = VecDeque::from([0]);
        while let Some(state) = queue.pop_front() {
            for (symbol, target) in next[state].into_iter().enumerate() {
                let shorter = if state == 0 { 0 } else { next[suffix[state]][symbol] };
                if target == NONE {
                    next[state][symbol] = shorter;
                } else {
                    let target = target as usize;
                    suffix[target] = shorter as usize;
                    found[target] = found[target].with(found[shorter as usize]);
                    queue.push_back(target);
                }
            }
        }
        Automaton { next, found }
    }

    fn search(&self, names: &str) -> Hints {
        let mut hints = Hints::default();
        let mut state = 0;
        let mut step = |symbol: usize| {
            state = self.next.get(state).map_or(0, |next| next[symbol] as usize);
            hints = hints.with(self.found.get(state).copied().unwrap_or_default());
        };
        step(LIMIT);
        let mut before = b' ';
        for byte in names.bytes() {
            let limit = symbol(byte) == LIMIT;
            if byte.is_ascii_uppercase() && before.is_ascii_lowercase() {
                step(LIMIT);
            }
            // Many limits in a row are one.
            if !limit || symbol(before) != LIMIT {
                step(symbol(byte));
            }
            before = byte;
        }
        if symbol(before) != LIMIT {
            step(LIMIT);
        }
        hints
    }
}
